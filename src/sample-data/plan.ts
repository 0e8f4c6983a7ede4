/** What is sold when: the same plan each time for the same end, so that an interrupted run continues with it. */
import { PARTNERS, type SamplePartner, type Slug } from './sample-partners.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Events are kept for 90 days. */
export const DAYS = 89;

/** An order of a customer who gives points. */
export interface Sale {
  readonly slug: Slug;
  readonly at: Date;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly idempotencyKey: string;
  readonly opaqueCustomerRef: string | null;
  readonly points: bigint;
  /** `undefined` for an order without an estimate. */
  readonly distanceKm: string | undefined;
  /** How the estimate comes to the contribution: with it, afterwards, or not at all, because it is of another order. */
  readonly link: 'with' | 'after' | 'other_order';
}

export interface Plan {
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** In the order of their times. */
  readonly sales: readonly Sale[];
}

const SEED = 20_260_721;
const WEEKEND = 1.4;
/** The share of orders that are reviewed for their points. */
const LARGE = 0.012;
/** In the last days some reviews are left open. */
const OPEN_DAYS = 2.4;
const LARGE_OF_LATE = 0.12;
/** The last orders of each partner are reviewed whatever chance says. */
const LAST_LARGE = 2;
/** In a row of this many orders, one has an estimate of another order, and two get theirs afterwards. */
const LINKS_OF = 10;

/**
 * @param share How much is sold, as a share of the usual.
 */
export function makePlan(endsAt: Date, share = 1): Plan {
  const startsAt = new Date(endsAt.getTime() - DAYS * DAY_MS);
  const random = randomFrom(SEED);
  const sales = PARTNERS.flatMap((partner) =>
    salesOf({ ...partner, perDay: partner.perDay * share }, { startsAt, endsAt }, random),
  );
  return { startsAt, endsAt, sales: sales.sort((one, other) => one.at.getTime() - other.at.getTime()) };
}

function salesOf(partner: SamplePartner, { startsAt, endsAt }: Omit<Plan, 'sales'>, random: () => number): Sale[] {
  const times: number[] = [];
  for (let day = 0; day < DAYS; day++) {
    const dayAt = startsAt.getTime() + day * DAY_MS;
    const isBusy = [4, 5].includes(new Date(dayAt).getUTCDay());
    const count = Math.round(partner.perDay * (isBusy ? WEEKEND : 1) * (0.8 + (0.4 * day) / DAYS) * (0.5 + random()));
    // The first hours make the partner and its rules.
    for (let each = 0; each < count; each++) times.push(dayAt + Math.round((0.1 + 0.88 * random()) * DAY_MS));
  }
  const inOrder = times.sort((one, other) => one - other);
  return inOrder.map((at, index) => saleOf(partner, { at, index, endsAt, isLast: index >= inOrder.length - LAST_LARGE }, random));
}

function saleOf(
  { slug, points: [least, most], reviewThreshold, estimates }: SamplePartner,
  { at, index, endsAt, isLast }: { readonly at: number; readonly index: number; readonly endsAt: Date; readonly isLast: boolean },
  random: () => number,
): Sale {
  const isLate = at > endsAt.getTime() - OPEN_DAYS * DAY_MS;
  const isLarge = random() < (isLate ? LARGE_OF_LATE : LARGE) || isLast;
  const share = random() * random();
  const points = isLarge ? reviewThreshold * (1 + random()) : least + share * (most - least);
  const place = index % LINKS_OF;
  const isOfOther = place === LINKS_OF - 1 && estimates > 0;
  const hasEstimate = random() < estimates || isOfOther;
  const distance = (1 + 30 * random()).toFixed(1);
  const hasCustomer = random() < 0.8;
  const number = String(index + 1).padStart(5, '0');
  return {
    slug,
    at: new Date(at),
    partnerEventId: `${slug}-points-${number}`,
    partnerOrderRef: `${slug.slice(0, 2).toUpperCase()}-1${number}`,
    idempotencyKey: `${slug}-confirm-${number}`,
    opaqueCustomerRef: hasCustomer ? `customer-${1000 + ((index * 37) % 611)}` : null,
    points: BigInt(Math.round(points)),
    distanceKm: hasEstimate ? distance : undefined,
    link: isOfOther ? 'other_order' : place >= LINKS_OF - 3 ? 'after' : 'with',
  };
}

/** Numbers from 0 to 1 that look random, the same ones each time (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
