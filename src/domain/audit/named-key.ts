import { randomBytes } from 'node:crypto';

/** A key of the installation: what is sealed with it says under which one, so that keys can change. */
export interface NamedKey {
  /** Stands beside everything sealed with the key. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

const KEY_BYTES = 32;
const KEY_ID = /^[0-9A-Za-z_-]{1,32}$/;
const KEY_FORM = 'id:base64 of 32 bytes, several separated by commas; `openssl rand -base64 32` creates one';

/**
 * The keys in a text such as `2026:7NQ…=,2025:q0f…=`. White space around the parts does not matter.
 *
 * @param setting What the operator calls the text: the variable, or a file.
 * @throws Error With a sentence for the operator, in which no part of a key occurs.
 */
export function readNamedKeys(text: string, setting: string): NamedKey[] {
  const keys = text
    .split(',')
    .map((part, index) => readKey(part.trim(), () => `${setting} must be ${KEY_FORM}; part ${index + 1}`));
  const repeated = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index);
  if (repeated) throw new Error(`${setting} names the key "${repeated.id}" twice.`);
  return keys;
}

/** The text form of one key. */
export function writeNamedKey({ id, bytes }: NamedKey): string {
  return `${id}:${bytes.toString('base64')}`;
}

/** A new random key under this name. */
export function newNamedKey(id: string): NamedKey {
  return { id, bytes: randomBytes(KEY_BYTES) };
}

/** @param opening The first words of a sentence about this part. */
function readKey(part: string, opening: () => string): NamedKey {
  const [id = '', base64, ...others] = part.split(':');
  // What stands where the id should be may be the key itself, so that nothing is repeated.
  if (base64 === undefined || others.length > 0) throw new Error(`${opening()} is not a name and a key separated by one colon.`);
  if (!KEY_ID.test(id)) throw new Error(`${opening()} has an invalid name: use 1 to 32 letters, digits, _ and -.`);
  const bytes = Buffer.from(base64, 'base64');
  const isBase64 =
    /^[0-9A-Za-z+/]+=*$/.test(base64) && bytes.toString('base64') === base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
  if (!isBase64) throw new Error(`${opening()} is not base64.`);
  if (bytes.length !== KEY_BYTES) throw new Error(`${opening()} has ${bytes.length} bytes.`);
  return { id, bytes };
}
