import { CAUSES, type SignatureVerdict } from './explain-signature.ts';
import { escapeForTerminal } from './output.ts';

/** A verdict for a person: one or two sentences that name the wrong part, and what to check. */
export function verdictInWords(verdict: SignatureVerdict): string {
  switch (verdict.status) {
    case 'valid':
      return `The signature is valid: ${verdict.header}, ${ageInWords(verdict.ageSeconds)}.`;
    case 'timestamp_missing':
      return 'The header X-Service-Timestamp is missing.';
    case 'timestamp_ill_formed':
      return `X-Service-Timestamp must be Unix seconds, in digits alone, and is ${escapeForTerminal(verdict.timestamp)}.`;
    case 'timestamp_outside_tolerance':
      return `The signature is right, but was ${ageInWords(verdict.ageSeconds)}; ${verdict.toleranceSeconds} s either way are accepted. Look at this machine's clock, unless the delivery was kept.`;
    case 'signature_missing':
      return 'The header X-Service-Signature is missing.';
    case 'signature_ill_formed':
      return `X-Service-Signature must be v1= and 64 hexadecimal digits in lower case, and is ${escapeForTerminal(verdict.signature)}.`;
    case 'signature_differs':
      return `The signature is ${verdict.received}, expected is ${verdict.expected}. ${causesInWords(verdict.causes)}`;
  }
}

function ageInWords(ageSeconds: number): string {
  return ageSeconds < 0 ? `made ${-ageSeconds} s in the future` : `made ${ageSeconds} s ago`;
}

function causesInWords(causes: readonly (keyof typeof CAUSES)[]): string {
  if (causes.length === 0) return 'No usual mistake explains it: the secret is another one, or the body was changed on the way.';
  return `The received one was made ${causes.map((cause) => CAUSES[cause]).join('; and ')}.`;
}

/** A verdict for a program: `status`, and the same members in snake_case. */
export function verdictToWire(verdict: SignatureVerdict | { readonly status: 'not_checked' }): Record<string, unknown> {
  return Object.fromEntries(Object.entries(verdict).map(([name, value]) => [toSnakeCase(name), value]));
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
