/**
 * A text that was pasted as it is searched for: without white space around it, and without the invisible marks of direction that a text in
 * Arabic has around an id. The service takes no name with such a mark.
 */
export function asMeant(pasted: string): string {
  return pasted.replaceAll(/\p{Bidi_Control}/gu, '').trim();
}
