import { code as findCurrency } from 'currency-codes';

/**
 * ISO 4217 codes without minor units, "N.A.": metals, units of account, the test code. They are no billing currencies.
 *
 * @see ISO 4217, list one, column CcyMnrUnts.
 */
const WITHOUT_MINOR_UNITS = new Set(['XAG', 'XAU', 'XPD', 'XPT', 'XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XSU', 'XUA', 'XTS', 'XXX']);

/**
 * How many decimals amounts of a currency have: 2 for AED, 3 for KWD, 0 for JPY. From the list of ISO 4217 in the package. The runtime's
 * `Intl` uses CLDR's digits of everyday prices instead, which differ for about twenty currencies: none for IQD and LBP, where the
 * standard has 3 and 2.
 *
 * @param currency Three capital letters.
 * @returns `undefined` for a code that is no currency of ISO 4217, or one without minor units, such as gold.
 */
export function findMinorUnits(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || WITHOUT_MINOR_UNITS.has(currency)) return undefined;
  return findCurrency(currency)?.digits;
}

/** Whether settlements may be in the currency. */
export function isCurrency(value: unknown): value is string {
  return typeof value === 'string' && findMinorUnits(value) !== undefined;
}
