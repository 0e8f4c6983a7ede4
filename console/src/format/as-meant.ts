/** What the service refuses and nobody sees: the same characters, but for line feeds, as `src/domain/single-line-text.ts` names. */
const HIDDEN =
  /(?!\n|\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/**
 * A text of several lines for the service: without the characters that nobody sees and the service refuses, with a space for a tab and a line
 * feed for every other end of a line.
 */
export function withoutHidden(text: string): string {
  return text
    .replaceAll(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(HIDDEN, '');
}

/**
 * A text as it is searched for: without white space around it, and without what nobody sees, such as the marks of direction that a text in
 * Arabic has around an id. An id has no other digits than those of Latin, and a partner is found by digits of either kind.
 */
export function asMeant(typed: string): string {
  return withLatinDigits(withoutHidden(typed)).trim();
}

function withLatinDigits(typed: string): string {
  return typed.replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16));
}

/** A number as an Arabic keyboard types it, in the digits and signs that the service takes: `−٥٫٢٥` is `-5.25`, and `١٬٢٥٠` is `1250`. */
export function inDigits(typed: string): string {
  return withLatinDigits(typed)
    .replaceAll(/[\u2212\u2013\u2011]/g, '-')
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', '');
}
