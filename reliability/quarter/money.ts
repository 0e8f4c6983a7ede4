/** Exact amounts in 10^-12 of a unit, reckoned apart from the service's own arithmetic. */

const DECIMALS = 12;

export function readMoney(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (whole === '') throw new RangeError(`Not an amount: ${text}`);
  const value = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -value : value;
}

/** As it is billed: half a minor unit or more is one, away from zero. */
export function billedText(amount: bigint, minorUnits: number): string {
  const unit = 10n ** BigInt(DECIMALS - minorUnits);
  const size = amount < 0n ? -amount : amount;
  const digits = String((size + unit / 2n) / unit).padStart(minorUnits + 1, '0');
  const text = minorUnits === 0 ? digits : `${digits.slice(0, -minorUnits)}.${digits.slice(-minorUnits)}`;
  return amount < 0n && /[1-9]/.test(digits) ? `-${text}` : text;
}
