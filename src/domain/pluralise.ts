/** A number with its noun, in English, where the plural takes an s: `1 partner`, `0 partners`, `3 partners`. */
export function pluralise(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;
}
