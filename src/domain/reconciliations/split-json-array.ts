/** Why a text is no JSON array; which element it was at, from 1. */
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

/** Takes a text apart as it comes. */
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
 * Cuts a JSON array into the texts of its elements, for a reader that takes each on its own: so a large list is never in memory as
 * a whole, numbers are read from their source, and an element that is no JSON costs itself only.
 *
 * Of our own because the packages for JSON as a stream, `stream-json` and `@streamparser/json`, end at the first character that is
 * wrong, keep the last of two members of one name, and are no faster. Brackets and strings are all that is looked at here.
 *
 * @param characters How long an element may be.
 * @throws JsonArrayError From `read` and `end`, for what is no array, or an element that is too long.
 */
export function splitJsonArray(characters: number): ArraySplitter {
  return new JsonArraySplitter(characters);
}

class JsonArraySplitter implements ArraySplitter {
  readonly #charactersMax: number;
  /** Of brackets: 0 before the array and behind it, 1 between its elements. */
  #depth = 0;
  #hasEnded = false;
  #isInString = false;
  #isEscaped = false;
  #elementNo = 0;
  /** What earlier pieces have of the element that has not ended. */
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

  /** The place behind the bracket that opens the array. */
  #open(piece: string): number {
    const at = piece.search(/[^ \t\r\n]/);
    if (at < 0) return piece.length;
    if (piece[at] !== '[') throw new JsonArrayError('not_an_array', 0);
    this.#depth = 1;
    return at + 1;
  }

  /** The place behind the array, or the end of the piece. */
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

  /** Takes the next character inside the array. */
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
    // `[]` has no element; elsewhere a missing one is malformed, and its reader says so.
    if (this.#hasEnded && this.#elementNo === 0 && IS_BLANK.test(text)) return;
    this.#elementNo++;
    this.#elements.push(text);
  }
}
