import { domainToASCII, domainToUnicode } from 'node:url';

/** A person's address in the canonical form that identifies an account, or why it is not valid. */
export type ReadAddress = { readonly canonical: string } | { readonly problem: string };

const ADDRESS_CHARACTERS_MAX = 254;
const LOCAL_CHARACTERS_MAX = 64;
const LOCAL = /^[a-z0-9#$&'*+/=?^_{|}~-]+(?:\.[a-z0-9#$&'*+/=?^_{|}~-]+)*$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Scripts with letters that look alike. */
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Arabic}/u];

/**
 * `Amal+2@Example.org` → `amal@example.org`: lower case, and without what follows a plus sign, because one mailbox has all of these.
 *
 * Every character is ASCII, so that no letter of another alphabet passes for one of these. A domain of other letters is given by its
 * A-labels (`xn--…`), none of which mixes alphabets.
 */
export function readAddress(text: string): ReadAddress {
  // Only ASCII is converted to lower case: the kelvin sign would become a k.
  const address = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  const mailbox = local.replace(/\+.*$/s, '');
  const problem = findProblem({ text, local, mailbox, domain });
  return problem === undefined ? { canonical: `${mailbox}@${domain}` } : { problem };
}

/** The canonical form without a problem: `undefined` for no address and for an invalid one. */
export function canonicalAddress(text: string | null): string | undefined {
  const read = text === null ? undefined : readAddress(text);
  return read && 'canonical' in read ? read.canonical : undefined;
}

interface Parts {
  readonly text: string;
  readonly local: string;
  readonly mailbox: string;
  readonly domain: string;
}

function findProblem({ text, local, mailbox, domain }: Parts): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every character that is not ASCII is looked for
  if (/[^\x00-\x7f]/.test(local)) return 'It must have only ASCII letters before the @, because other letters look like them.';
  const ascii = domainToASCII(domain);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every character that is not ASCII is looked for
  if (/[^\x00-\x7f]/.test(domain)) {
    const instead = ascii === '' ? '' : `: ${ascii}`;
    return `It must have only ASCII letters after the @; write other domains as A-labels${instead}.`;
  }
  if (domain.endsWith('.')) return 'It must not end with a full stop.';
  const isWhole = text.length <= ADDRESS_CHARACTERS_MAX && local.length <= LOCAL_CHARACTERS_MAX && mailbox !== '';
  if (!isWhole || !LOCAL.test(local) || !LOCAL.test(mailbox) || !DOMAIN.test(domain) || ascii !== domain)
    return 'It must be an address such as name@example.org.';
  const labels = domainToUnicode(domain).split('.');
  const isReadable = labels.every(
    (label) => !label.startsWith('xn--') && SCRIPTS.filter((script) => script.test(label)).length <= 1,
  );
  return isReadable ? undefined : 'Each label of its domain must use one alphabet.';
}
