import { hash } from 'node:crypto';

/** A value as `readJson` gives it. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | { [member: string]: JsonValue | undefined };

/**
 * The fingerprint of a canonical payload: SHA-256 of the RFC 8785 text of `{operation, …members}`, 32 bytes.
 * Members that are `undefined` are left out, so an absent field and an `undefined` one are the same request. `canonical-payloads.ts` has the
 * members of each operation.
 *
 * @param operation The contract's operation id, such as `confirmContribution`. No member may have the name `operation`.
 * @see docs/spec/interface.md#common-request-headers, idempotency rules 1 and 2.
 */
export function fingerprint(operation: string, members: Record<string, JsonValue | undefined>): Buffer {
  if (Object.hasOwn(members, 'operation')) throw new TypeError('A member named operation would hide the operation');
  return hash('sha256', canonicalJson({ ...members, operation }), 'buffer');
}

/**
 * RFC 8785 text: no white space, member names sorted by UTF-16 code units, numbers as ECMAScript writes them. No package is used because
 * `canonicalize` (5.1.0) throws at a `bigint`, and a number that passed through a float would let 9007199254740993 points replay as
 * 9007199254740992; `safe-stable-stringify` writes every digit, but `Infinity` as `null`. `Infinity` is what `readJson` gives for
 * `1e400`, which a bad `calculation_id` may hold. Such a request has a fingerprint too, so it is written as that word, which no JSON text
 * contains.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let text = '';
  // The default order of sort() is by UTF-16 code units, as section 3.2.3 of the RFC requires.
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) text += `${text && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}
