/**
 * Exact decimals without floating point: a value is a whole number of the last decimal place, so 143.23 with two decimals is 14323. Only
 * functions that say so accept a sign: distances and emissions have none.
 */

/** `(14323n, 2)` is `"143.23"`, `(1000n, 3)` is `"1"`: no trailing zeros. A number must be a safe integer. */
export function decimalText(scaled: bigint | number, decimals: number): string {
  const text = fixedText(scaled, decimals);
  if (decimals === 0) return text;
  let end = text.length;
  while (text[end - 1] === '0') end--;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

/** `(1000n, 3)` is `"1.000"`: every decimal is written. A number must be a safe integer. */
export function fixedText(scaled: bigint | number, decimals: number): string {
  if (scaled < 0 || (typeof scaled === 'number' && !Number.isSafeInteger(scaled)))
    throw new RangeError(`Not an exact decimal: ${scaled}`);
  const digits = String(scaled).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/**
 * `("12.5", 3)` is `12500n`. `undefined` unless the text is a plain decimal with at most so many decimals:
 * no sign, exponent, blank, leading zero (`007`), `.5` or `5.`.
 */
export function readDecimal(text: string, decimals: number): bigint | undefined {
  if (!/^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  return fraction.length <= decimals ? BigInt(whole + fraction.padEnd(decimals, '0')) : undefined;
}

/** `(-14323n, 2)` is `"-143.23"`: {@link decimalText} for values of either sign. Zero has no sign. */
export function signedDecimalText(scaled: bigint, decimals: number): string {
  return scaled < 0n ? `-${decimalText(-scaled, decimals)}` : decimalText(scaled, decimals);
}

/** `(-1000n, 3)` is `"-1.000"`: {@link fixedText} for values of either sign. Zero has no sign. */
export function signedFixedText(scaled: bigint, decimals: number): string {
  return scaled < 0n ? `-${fixedText(-scaled, decimals)}` : fixedText(scaled, decimals);
}

/** `("-12.5", 3)` is `-12500n`: {@link readDecimal}, and a minus sign before what is not zero. */
export function readSignedDecimal(text: string, decimals: number): bigint | undefined {
  if (!text.startsWith('-')) return readDecimal(text, decimals);
  const magnitude = readDecimal(text.slice(1), decimals);
  return magnitude ? -magnitude : undefined;
}

/**
 * Rounds to fewer decimals, half up: `(15n, 3, 2)`, which is 0.015, gives `2n`, which is 0.02. A half is rounded away from zero, so that
 * a reversal rounds to the opposite value: -0.015 gives -0.02. PostgreSQL's `round(numeric)` does the same.
 */
export function roundHalfUp(scaled: bigint, fromDecimals: number, toDecimals: number): bigint {
  if (scaled < 0n) return -roundHalfUp(-scaled, fromDecimals, toDecimals);
  const step = 10n ** BigInt(fromDecimals - toDecimals);
  return (scaled + step / 2n) / step;
}
