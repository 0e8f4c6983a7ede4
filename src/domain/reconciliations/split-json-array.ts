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
  let [depth, elementNo, element] = [0, 0, ''];
  let [isInString, isEscaped, hasEnded] = [false, false, false];
  const elements: string[] = [];
  const finish = (text: string, isLast: boolean) => {
    element = '';
    // `[]` has no element; elsewhere a missing one is malformed, and its reader says so.
    if (isLast && elementNo === 0 && IS_BLANK.test(text)) return;
    elementNo++;
    elements.push(text);
  };
  const readInside = (piece: string, start: number): number => {
    let from = start;
    for (let at = start; at < piece.length; at++) {
      const character = piece.charCodeAt(at);
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (character === BACKSLASH) isEscaped = true;
        else if (character === QUOTE) isInString = false;
      } else if (character === QUOTE) isInString = true;
      else if (OPENING.has(character)) depth++;
      else if (CLOSING.has(character) && --depth === 0) {
        finish(element + piece.slice(from, at), true);
        hasEnded = true;
        return at + 1;
      } else if (character === COMMA && depth === 1) {
        finish(element + piece.slice(from, at), false);
        from = at + 1;
      }
    }
    element += piece.slice(from);
    if (element.length > characters) throw new JsonArrayError('element_too_long', elementNo + 1);
    return piece.length;
  };
  return {
    read(piece) {
      let at = 0;
      if (depth === 0 && !hasEnded) {
        at = piece.search(/[^ \t\r\n]/);
        if (at < 0) return [];
        if (piece[at] !== '[') throw new JsonArrayError('not_an_array', 0);
        depth = 1;
        at++;
      }
      if (!hasEnded) at = readInside(piece, at);
      if (hasEnded && !IS_BLANK.test(piece.slice(at))) throw new JsonArrayError('text_after_end', elementNo);
      return elements.splice(0);
    },
    end() {
      if (!hasEnded) throw new JsonArrayError(depth === 0 ? 'not_an_array' : 'not_ended', elementNo);
    },
  };
}
