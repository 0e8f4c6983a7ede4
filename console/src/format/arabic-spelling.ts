/** Arabic as it is typed in haste. The service finds partners by the same rule: `src/domain/access/arabic-spelling.ts`. A test compares both. */

/**
 * Letters that persons write for each other: a hamza or none on an alef, an alef maqsura for a ya, a ha for a ta marbuta, the letters of
 * Persian keyboards, and the digits of Arabic and Persian.
 */
const SAME = ['اأإآٱ', 'يىئی', 'هة', 'وؤ', 'كک', '0٠۰', '1١۱', '2٢۲', '3٣۳', '4٤۴', '5٥۵', '6٦۶', '7٧۷', '8٨۸', '9٩۹'];
/** The tatweel, the vowel signs, and hamzas and maddas that stand apart from their letter. */
const UNWRITTEN = 'ـ\u064B\u064C\u064D\u064E\u064F\u0650\u0651\u0652\u0653\u0654\u0655\u0670';

const firstOf = new Map([
  ...SAME.flatMap(([first = '', ...others]) => others.map((other) => [other, first] as const)),
  ...[...UNWRITTEN].map((sign) => [sign, ''] as const),
]);

/** One spelling of a text for all that persons write for each other: `أُصدر` and `اصدر` are the same. */
export function inOneSpelling(text: string): string {
  return [...text].map((character) => firstOf.get(character) ?? character).join('');
}

/** Whether a text has what was typed, in whatever case and spelling. */
export function isTypedOf(text: string, typed: string): boolean {
  const [all, part] = [text, typed].map((each) => inOneSpelling(each).toLowerCase()) as [string, string];
  return all.includes(part);
}
