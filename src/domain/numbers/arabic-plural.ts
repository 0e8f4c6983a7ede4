export type ArabicPlural = 'one' | 'two' | 'few' | 'many' | 'other';

/** The Arabic form of a counted noun: 103 has the form of 3, 111 that of 11, 102 that of 100. The console has the same rule in `plural.ts`. */
export function arabicPlural(n: bigint): ArabicPlural {
  if (n === 1n) return 'one';
  if (n === 2n) return 'two';
  const lastTwoDigits = n % 100n;
  if (lastTwoDigits >= 3n && lastTwoDigits <= 10n) return 'few';
  return lastTwoDigits >= 11n ? 'many' : 'other';
}
