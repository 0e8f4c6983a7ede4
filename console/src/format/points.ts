/** Whole numbers of the interface come as text of decimal digits, up to 2^63 - 1, and never become a floating-point number. */

const WHOLE = /^-?\d+$/;

/** `'1234567'` → `1,234,567`, exactly, whatever its length. */
export function formatWhole(value: string | bigint): string {
  const text = String(value);
  if (!WHOLE.test(text)) return text;
  return text.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `{ count: 1000, is_more: true }` → `1,000+`: a count that stops says so. */
export function formatBounded({ count, is_more }: { readonly count: number; readonly is_more: boolean }): string {
  return formatWhole(BigInt(count)) + (is_more ? '+' : '');
}

/** `'1234567.500'` → `1,234,567.500`: the decimals stay as they are. */
export function formatDecimal(value: string): string {
  const [whole = '', decimals] = value.split('.');
  return decimals === undefined ? formatWhole(whole) : `${formatWhole(whole)}.${decimals}`;
}

/** The sum of whole numbers, exactly. */
export function addWhole(values: Iterable<string>): bigint {
  let sum = 0n;
  for (const value of values) sum += BigInt(value);
  return sum;
}

export interface ChartScale {
  /** For the height of a bar; at most 12 significant digits. */
  toHeight(value: string): number;
}

/**
 * Heights of bars for whole numbers of any length. A height is a place on the screen and no amount: the amount that a person reads
 * is formatted from the text.
 */
export function chartScale(values: readonly string[]): ChartScale {
  const longest = Math.max(1, ...values.map((value) => value.replace('-', '').length));
  const divisor = 10n ** BigInt(Math.max(0, longest - 12));
  return { toHeight: (value) => Number(BigInt(value) / divisor) };
}

/** For `sort`: by their size, exactly. */
export function compareDecimals(one: string, other: string): number {
  const difference = addDecimals([one, other.startsWith('-') ? other.slice(1) : `-${other}`]);
  if (!/[1-9]/.test(difference)) return 0;
  return difference.startsWith('-') ? -1 : 1;
}

/** The sum of decimals, exactly: `['1.5', '0.25']` → `1.75`. */
export function addDecimals(values: readonly string[]): string {
  const places = Math.max(0, ...values.map((value) => value.split('.')[1]?.length ?? 0));
  let sum = 0n;
  for (const value of values) {
    const [whole = '0', decimals = ''] = value.split('.');
    sum += BigInt(whole + decimals.padEnd(places, '0'));
  }
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const sign = sum < 0n ? '-' : '';
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** How many times a decimal above zero is in another that is not negative: `'30', '7.5'` → `4n`. */
export function divideWhole(amount: string, by: string): bigint {
  const places = Math.max(...[amount, by].map((value) => value.split('.')[1]?.length ?? 0));
  const [all, one] = [amount, by].map((value) => {
    const [whole = '0', decimals = ''] = value.split('.');
    return BigInt(whole + decimals.padEnd(places, '0'));
  }) as [bigint, bigint];
  return all / one;
}

/** The difference of two decimals, exactly: `'1.5', '0.25'` → `1.25`. */
export function subtractDecimals(from: string, value: string): string {
  return addDecimals([from, value.startsWith('-') ? value.slice(1) : `-${value}`]);
}

/** The currencies of ISO 4217 that have other than two decimals. A test compares them with the service's list. */
const DECIMALS: readonly (readonly [decimals: number, currencies: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/**
 * How many decimals the amounts of a currency have, as the service bills them: those of ISO 4217. `Intl` has CLDR's digits of everyday
 * prices, which leave decimals of IQD and LBP out. 0 without a currency.
 */
function decimalsOf(currency: string | null | undefined): number {
  if (!currency || !/^[A-Z]{3}$/.test(currency)) return 0;
  return DECIMALS.find(([, currencies]) => currencies.includes(currency))?.[0] ?? 2;
}

/** With so many decimals, and more only where they are no zeros: `'7.5', 2` → `7.50`, `'7.5000', 2` → `7.50`. */
export function padDecimal(value: string, places: number): string {
  const [whole = '0', decimals = ''] = value.split('.');
  const padded = decimals.replace(/0+$/, '').padEnd(places, '0');
  return padded === '' ? whole : `${whole}.${padded}`;
}

/** With the decimals of its currency, and all of an exact amount that has more: `'-11.2500', 'SAR'` → `-11.25 SAR`. */
export function formatMoney(amount: string, currency: string | null | undefined): string {
  return `${formatDecimal(padDecimal(amount, decimalsOf(currency)))} ${currency ?? ''}`.trimEnd();
}

/** Rounds like a billed total: `'0.5', 0` → `1`, `'-2.345', 2` → `-2.35`. Half goes away from zero. */
export function roundDecimal(value: string, places: number): string {
  const [whole = '0', decimals = ''] = value.replace('-', '').split('.');
  const cut = BigInt(whole + decimals.slice(0, places).padEnd(places, '0'));
  const rounded = (decimals[places] ?? '0') >= '5' ? cut + 1n : cut;
  const digits = String(rounded).padStart(places + 1, '0');
  const sign = value.startsWith('-') && rounded !== 0n ? '-' : '';
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
