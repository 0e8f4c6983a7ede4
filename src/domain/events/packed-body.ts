import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { BODY_DICTIONARY_1 } from './body-dictionary.ts';

/**
 * How the bytes of a body are stored: the first byte says how to read the others. A form stays readable for ever, and its dictionary never
 * changes; another dictionary gets another number.
 */
const PLAIN = 0;
const DEFLATED_WITH_DICTIONARY_1 = 1;
const STORED = Buffer.of(PLAIN);
const DEFLATED = Buffer.of(DEFLATED_WITH_DICTIONARY_1);

/** Holds the dictionary and a body. What is farther back is not referred to. */
const WINDOW = { windowBits: 12, dictionary: BODY_DICTIONARY_1 };
/** A table of codes of its own is longer than what it saves in so short a text; a small table of hashes finds as much in it. */
const DEFLATE = { ...WINDOW, strategy: constants.Z_FIXED, memLevel: 1, chunkSize: 1_024 };
const INFLATE = { ...WINDOW, chunkSize: 2_048 };

/**
 * The bytes that are stored for the body of an event, a fifth of its text: RFC 1951, with a preset dictionary of what most bodies have in
 * common. A text that would not get shorter is stored as it is.
 */
export function packBody(text: Buffer): Buffer {
  const deflated = deflateRawSync(text, DEFLATE);
  const isShorter = deflated.length < text.length;
  return Buffer.concat([isShorter ? DEFLATED : STORED, isShorter ? deflated : text]);
}

/**
 * The text that {@link packBody} was given.
 *
 * @throws Error When the bytes have no form that this release knows, or do not fit theirs.
 */
export function unpackBody(packed: Buffer): Buffer {
  const rest = packed.subarray(1);
  switch (packed[0]) {
    case PLAIN:
      return rest;
    case DEFLATED_WITH_DICTIONARY_1:
      return inflateRawSync(rest, INFLATE);
    default:
      throw new Error(`A stored body has an unknown form: ${packed[0] ?? 'it is empty'}.`);
  }
}
