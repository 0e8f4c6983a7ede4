/** Why a text is no JSON array, and the element, from 1. */
export class JsonArrayError extends Error {
  override readonly name = 'JsonArrayError';
  readonly code: 'not_an_array' | 'not_ended' | 'text_after_end' | 'element_too_long';
  readonly elementNo: number;

  constructor(code: JsonArrayError['code'], elementNo: number) {
    super(`${code} at element ${elementNo}`);
    this.code = code;
    this.elementNo = elementNo;
  }
}

/** Splits a text as it arrives. */
export interface ArraySplitter {
  /** The source texts of the elements that end in this piece, in order. */
  read(piece: string): string[];
  /** @throws JsonArrayError The array has not ended. */
  end(): void;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BACKSLASH = 0x5c;
const IS_BLANK = /^[ \t\r\n]*$/;

/**
 * Splits a JSON array into the texts of its elements, for a reader that parses each: a large list is never in memory as a whole, numbers
 * are read from their source, and an invalid element affects only itself. No package is used because `stream-json` and
 * `@streamparser/json` end at the first invalid character, keep the last of two members with one name, and are not faster. Only brackets
 * and strings are examined here.
 *
 * @param characters The longest element.
 * @throws JsonArrayError From `read` and `end`, for a text that is no array, or an element that is too long.
 */
export function splitJsonArray(characters: number): ArraySplitter {
  return new JsonArraySplitter(characters);
}

class JsonArraySplitter implements ArraySplitter {
  readonly #charactersMax: number;
  /** The depth of brackets: 0 before and after the array, 1 between its elements. */
  #depth = 0;
  #hasEnded = false;
  #isInString = false;
  #isEscaped = false;
  #elementNo = 0;
  /** The part of the current element in earlier pieces. */
  #element = '';
  #elements: string[] = [];

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  read(piece: string): string[] {
    this.#elements = [];
    let at = 0;
    if (this.#depth === 0 && !this.#hasEnded) at = this.#open(piece);
    if (this.#depth > 0) at = this.#readInside(piece, at);
    if (this.#hasEnded && !IS_BLANK.test(piece.slice(at))) throw new JsonArrayError('text_after_end', this.#elementNo);
    return this.#elements;
  }

  end(): void {
    if (!this.#hasEnded) throw new JsonArrayError(this.#depth === 0 ? 'not_an_array' : 'not_ended', this.#elementNo);
  }

  /** The position after the bracket that opens the array. */
  #open(piece: string): number {
    const at = piece.search(/[^ \t\r\n]/);
    if (at < 0) return piece.length;
    if (piece[at] !== '[') throw new JsonArrayError('not_an_array', 0);
    this.#depth = 1;
    return at + 1;
  }

  /** The position after the array, or the end of the piece. */
  #readInside(piece: string, start: number): number {
    let from = start;
    for (let at = start; at < piece.length; at++) {
      if (!this.#isEndOfElement(piece.charCodeAt(at))) continue;
      this.#finish(this.#element + piece.slice(from, at));
      if (this.#hasEnded) return at + 1;
      from = at + 1;
    }
    this.#element += piece.slice(from);
    if (this.#element.length > this.#charactersMax) throw new JsonArrayError('element_too_long', this.#elementNo + 1);
    return piece.length;
  }

  /** Processes the next character inside the array. */
  #isEndOfElement(character: number): boolean {
    if (this.#isInString) {
      this.#readInString(character);
      return false;
    }
    if (character === QUOTE) this.#isInString = true;
    else if (OPENING.has(character)) this.#depth++;
    else if (CLOSING.has(character)) this.#hasEnded = --this.#depth === 0;
    return this.#hasEnded || (character === COMMA && this.#depth === 1);
  }

  #readInString(character: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === BACKSLASH) this.#isEscaped = true;
    else if (character === QUOTE) this.#isInString = false;
  }

  #finish(text: string): void {
    this.#element = '';
    // `[]` has no element; a missing element elsewhere is malformed, and its reader reports it.
    if (this.#hasEnded && this.#elementNo === 0 && IS_BLANK.test(text)) return;
    this.#elementNo++;
    this.#elements.push(text);
  }
}
