/** Marks that re-order what stands beside them: a name in one language must not change how the rest of a page reads. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/;

/** Whether a text of either language can stand in a line: not blank, at most so long, without control characters. */
export function isLine(text: string, charactersMax: number): boolean {
  if (text.length > charactersMax || text.trim() === '') return false;
  return text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text) && !REORDERING.test(text);
}
