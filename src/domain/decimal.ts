/**
 * Exact decimals without floating point: a value is a whole number of the last decimal place,
 * so 143.23 with two decimals is 14323. Never negative; nothing here needs a sign.
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

/** Fewer decimals, half up: `(15n, 3, 2)`, which is 0.015, gives `2n`, which is 0.02. */
export function roundHalfUp(scaled: bigint, fromDecimals: number, toDecimals: number): bigint {
  const step = 10n ** BigInt(fromDecimals - toDecimals);
  return (scaled + step / 2n) / step;
}
