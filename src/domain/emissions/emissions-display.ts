import { EMISSIONS_UNIT_AR, EMISSIONS_UNIT_EN } from '../customer-texts.ts';
import { fixedText, readDecimal, roundHalfUp } from '../numbers/decimal.ts';

/**
 * How an estimate is displayed to a customer.
 *
 * @see docs/spec/interface.md#estimate-object-estimate, field display.
 */
export interface EmissionsDisplay {
  kgco2eTwoDecimals: string;
  usesLessThanThreshold: boolean;
  formattedEn: string;
  formattedAr: string;
}

/** Kilograms have at most eight decimals: metres (1e-3 km) times centigrams (1e-5 kg). */
const KG_DECIMALS = 8;
const SHOWN_DECIMALS = 2;
const THRESHOLD = 10n ** BigInt(KG_DECIMALS - SHOWN_DECIMALS);
const BELOW_THRESHOLD = '<0.01';

/** Between these marks (U+2066, U+2069) text runs from left to right; without them `<0.01` in Arabic text is displayed as `0.01>`. */
const LEFT_TO_RIGHT = '\u2066';
const END_OF_DIRECTION = '\u2069';

/**
 * `"2.56171095"` is displayed as `2.56`, `"0.00988287"` as `<0.01`: the value is compared with the threshold before rounding.
 *
 * @param kgText The field estimated_emissions_kgco2e, an exact decimal.
 * @see docs/spec/interface.md#estimate-object-estimate, Display rules 1 and 2.
 */
export function displayEmissions(kgText: string): EmissionsDisplay {
  const kg = readDecimal(kgText, KG_DECIMALS);
  if (kg === undefined) throw new RangeError(`Not an emissions value: ${kgText}`);
  const usesLessThanThreshold = kg < THRESHOLD;
  const shown = usesLessThanThreshold ? BELOW_THRESHOLD : fixedText(roundHalfUp(kg, KG_DECIMALS, SHOWN_DECIMALS), SHOWN_DECIMALS);
  const shownAr = usesLessThanThreshold ? `${LEFT_TO_RIGHT}${shown}${END_OF_DIRECTION}` : shown;
  return {
    kgco2eTwoDecimals: shown,
    usesLessThanThreshold,
    formattedEn: `${shown} ${EMISSIONS_UNIT_EN}`,
    formattedAr: `${shownAr} ${EMISSIONS_UNIT_AR}`,
  };
}
