import { type ErrorDetail, wrongForm } from './service-error.ts';

/**
 * Invisible characters with an effect: control characters, bidirectional control characters, which change how the rest of a page reads,
 * and marks by which two texts differ that look the same. Not the characters that Arabic, Persian and emoji need: the joiners U+200C and
 * U+200D, and the variation selectors.
 */
const HIDDEN =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\u200c\u200d\ufe00-\ufe0f]]/gv;

const HIDDEN_ONES = 'bidirectional control characters and other invisible characters';

/** The most characters of a reason, a line that a person writes for whoever looks at a change later. */
export const REASON_CHARACTERS_MAX = 500;

/** As JSON Schema and PostgreSQL count them: an emoji of two UTF-16 units is one. */
export function countCharacters(text: string): number {
  return [...text].length;
}

/** Whether a text of either language is valid on one line: not blank, at most so long, without hidden characters. */
export function isLine(text: string, charactersMax: number): boolean {
  return countCharacters(text) <= charactersMax && text.trim() !== '' && text.search(HIDDEN) === -1;
}

/** The problem of a text that {@link isLine} refuses; `false` for a line. */
export function checkLine(field: string, text: string, charactersMax: number): ErrorDetail | false {
  return !isLine(text, charactersMax) && wrongForm(field, lineForm(text, charactersMax));
}

/** Why {@link isLine} or {@link isText} refuses a text, where an answer tells the two apart. */
export function whyRefused(text: string, charactersMax: number): 'wrong_length' | 'invalid_characters' {
  return text.trim() === '' || countCharacters(text) > charactersMax ? 'wrong_length' : 'invalid_characters';
}

/** Whether {@link isLine} accepts the text with a space for each line feed. */
export function isText(text: string, charactersMax: number): boolean {
  return isLine(text.replaceAll('\n', ' '), charactersMax);
}

/** The required form of a line, with the problem of this one: `a line of 1 to 200 characters`. */
export function lineForm(text: string, charactersMax: number): string {
  return `a line of 1 to ${charactersMax} characters${hiddenForm(text, ' without control characters')}`;
}

/** Like {@link lineForm}, for a text that may have several lines. */
export function textForm(text: string, charactersMax: number): string {
  const hidden = hiddenForm(text.replaceAll('\n', ' '), ' and without control characters other than line feeds');
  return `a text of 1 to ${charactersMax} characters, not blank${hidden}`;
}

function hiddenForm(text: string, refused: string): string {
  const [found] = text.matchAll(HIDDEN);
  return found
    ? `${refused}, ${HIDDEN_ONES}; character ${countCharacters(text.slice(0, found.index)) + 1} is ${nameOf(found[0])}`
    : '';
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** For a terminal: hidden characters are escaped as in JSON. `a` and U+202E → `a\u202e` */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (hidden) =>
    [...Array(hidden.length).keys()].map((at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** Escapes hidden characters like {@link escapeHidden}, except line feeds. */
export function escapeHiddenInLines(text: string): string {
  return text.split('\n').map(escapeHidden).join('\n');
}
