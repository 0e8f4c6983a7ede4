/** The quarter that is simulated, in instants written down beforehand: nothing of it is computed by what is tried. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const at = (text: string): number => Date.parse(text);

/** The first month has begun in every partner's zone. */
export const BEGINS_AT = at('2027-01-01T04:00:00Z');
/** Noon of each day. The last of them lie in the month after, so that something is open in the end. */
export const FIRST_NOON = at('2027-01-01T12:00:00Z');
export const LAST_NOON = at('2027-04-02T12:00:00Z');

export interface PlannedPartner {
  readonly name: string;
  readonly timeZone: string;
  readonly currency: string | null;
  /** Decimals of the currency. */
  readonly minorUnits: number;
  /** The ends of its months: the zone's clocks may have changed meanwhile. */
  readonly monthEnds: readonly number[];
}

export const PARTNERS: readonly PlannedPartner[] = [
  {
    name: 'Riyadh',
    timeZone: 'Asia/Riyadh',
    currency: 'SAR',
    minorUnits: 2,
    monthEnds: ['2027-01-31T21:00:00Z', '2027-02-28T21:00:00Z', '2027-03-31T21:00:00Z'].map(at),
  },
  {
    // Its clocks go forward on 14 March.
    name: "St John's",
    timeZone: 'America/St_Johns',
    currency: 'CAD',
    minorUnits: 2,
    monthEnds: ['2027-02-01T03:30:00Z', '2027-03-01T03:30:00Z', '2027-04-01T02:30:00Z'].map(at),
  },
  {
    name: 'Auckland',
    timeZone: 'Pacific/Auckland',
    currency: null,
    minorUnits: 0,
    monthEnds: ['2027-01-31T11:00:00Z', '2027-02-28T11:00:00Z', '2027-03-31T11:00:00Z'].map(at),
  },
];

/** The partner whose contributions are reviewed. */
export const REVIEWED = 0;

/** In the middle of each month; contributions are under way. */
export const RULE_CHANGES = ['2027-01-15T16:00:00Z', '2027-02-14T16:00:00Z', '2027-03-16T16:00:00Z'].map(at);

/** Days of a month on which settlements are closed early, corrected, or brought below zero. */
export const EARLY_CLOSING_DAYS = [10, 20];
export const ADJUSTMENT_DAYS = [6, 12, 25];
export const BELOW_ZERO_DAY = 22;
/** So many days before a change its rules are made. */
export const RULES_AHEAD_DAYS = 2;

export type Happening =
  | { readonly kind: 'day'; readonly at: number }
  | { readonly kind: 'rules change'; readonly at: number }
  | { readonly kind: 'month ends'; readonly at: number; readonly partner: number };

/** Everything that happens in the quarter, in its order. */
export function listHappenings(): readonly Happening[] {
  const days: Happening[] = [];
  for (let noon = FIRST_NOON; noon <= LAST_NOON; noon += DAY_MS) days.push({ kind: 'day', at: noon });
  const changes = RULE_CHANGES.map((instant): Happening => ({ kind: 'rules change', at: instant }));
  const ends = PARTNERS.flatMap(({ monthEnds }, partner) =>
    monthEnds.map((instant): Happening => ({ kind: 'month ends', at: instant, partner })),
  );
  return [...days, ...changes, ...ends].sort((one, other) => one.at - other.at);
}
