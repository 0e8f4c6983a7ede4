import { randomBytes } from 'node:crypto';

/** A key of the installation. Each seal names its key, so that keys can be replaced. */
export interface NamedKey {
  /** The id that is stored beside everything sealed with the key. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

const KEY_BYTES = 32;
const KEY_ID = /^[0-9A-Za-z_-]{1,32}$/;
const KEY_FORM = 'id:base64 of 32 bytes, several separated by commas; `openssl rand -base64 32` creates one';

/**
 * The keys in a text such as `2026:7NQ…=,2025:q0f…=`. White space around the parts is ignored.
 *
 * @param setting The name of the source for the message: the variable, or a file.
 * @throws Error With a sentence for the operator that contains no part of a key.
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

/** A new random key with this id. */
export function newNamedKey(id: string): NamedKey {
  return { id, bytes: randomBytes(KEY_BYTES) };
}

/** @param opening The first words of a sentence about this part. */
function readKey(part: string, opening: () => string): NamedKey {
  const [id = '', base64, ...others] = part.split(':');
  // The text in place of the id may be the key itself, so the message does not repeat it.
  if (base64 === undefined || others.length > 0) throw new Error(`${opening()} is not a name and a key separated by one colon.`);
  if (!KEY_ID.test(id)) throw new Error(`${opening()} has an invalid name: use 1 to 32 letters, digits, _ and -.`);
  const bytes = Buffer.from(base64, 'base64');
  const isBase64 =
    /^[0-9A-Za-z+/]+=*$/.test(base64) && bytes.toString('base64') === base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
  if (!isBase64) throw new Error(`${opening()} is not base64.`);
  if (bytes.length !== KEY_BYTES) throw new Error(`${opening()} has ${bytes.length} bytes.`);
  return { id, bytes };
}
