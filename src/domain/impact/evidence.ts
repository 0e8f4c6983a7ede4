import { classifyHost, inWords } from '../address-class.ts';
import { type ErrorDetail, problem } from '../service-error.ts';
import { countCharacters, isLine, lineForm } from '../single-line-text.ts';

/** A file that documents the progress of a batch. The service stores its SHA-256, not its bytes. */
export interface NewEvidence {
  /** Such as `photo`; an open list. */
  readonly type: string;
  /** The public address of the file, for partners and their customers. */
  readonly url: string;
  /** The name of the file, without its folder. */
  readonly fileName: string;
  readonly byteCount: bigint;
  /** SHA-256 of the file's bytes, in lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly capturedAt: Date;
}

export interface Evidence extends NewEvidence {
  /** From 1, in the order of their adding. */
  readonly evidenceNo: number;
  readonly addedBy: string;
  readonly addedAt: Date;
}

const FILE_NAME_MAX = 255;
const URL_MAX = 2_000;

/**
 * All problems of new evidence, by field.
 *
 * @param now It cannot have been captured later.
 */
export function checkNewEvidence({ type, url, fileName, byteCount, sha256, capturedAt }: NewEvidence, now: Date): ErrorDetail[] {
  return [
    !/^[a-z][a-z0-9_]{0,39}$/.test(type) &&
      problem('type', 'wrong_form', 'type must be a word of 1 to 40 lower-case letters, digits and _, such as satellite_image.'),
    checkUrl(url),
    !isLine(fileName, FILE_NAME_MAX) &&
      problem('file', 'wrong_form', `The name of the file must be ${lineForm(fileName, FILE_NAME_MAX)}.`),
    byteCount === 0n && problem('file', 'empty', 'The file is empty.'),
    !/^[0-9a-f]{64}$/.test(sha256) && problem('sha256', 'wrong_form', 'sha256 must be 64 lower-case hexadecimal digits.'),
    capturedAt > now && problem('captured_at', 'in_the_future', 'captured_at must not be in the future.'),
  ].filter((found) => found !== false);
}

/** Judges a URL by its spelling alone: the service resolves and fetches nothing. */
function checkUrl(text: string): ErrorDetail | false {
  const url = URL.parse(text);
  if (!url || !isHttpsUrl(url) || countCharacters(text) > URL_MAX || /[\s\p{Cc}]/u.test(text))
    return problem(
      'url',
      'wrong_form',
      'url must be an https address without a user, a password and a fragment, such as https://….',
    );
  const hostClass = classifyHost(url.hostname);
  if (hostClass === 'public') return false;
  const form = 'url must be an https address that partners and their customers can open, such as https://files.example.org/1.jpg';
  return problem(
    'url',
    'not_public',
    `${form}: its host is ${inWords(hostClass)}. Put the file at a public address and give that one.`,
  );
}

function isHttpsUrl({ protocol, username, password, hash }: URL): boolean {
  return protocol === 'https:' && username === '' && password === '' && hash === '';
}
