import type { SealKeys } from '../../domain/settlements/settlement-seal.ts';
import type { Partner } from '../../store/access/partner.ts';
import type { Queryable } from '../../store/database.ts';
import type { Prices } from '../../store/settlements/price-of-points.ts';

/** The further dependencies of a settlement. */
export interface SettlementTools extends SealKeys {
  /** The value of a point under every version that the partner's contributions may carry. */
  readonly pricesOf: PricesOf;
  /** Called for each version that something is settled under. */
  readonly doubtsOf: DoubtsOf;
}

export type PricesOf = (db: Queryable, partner: Partner) => Promise<Prices>;

/** Why the price of a version cannot be used to settle; `undefined` when it is the one in the audit. */
export type DoubtOf = (version: string) => Promise<string | undefined>;

/** Reads, in the transaction of a closing, the audit entries of a version behind the prices. */
export type DoubtsOf = (db: Queryable, partner: Partner, prices: Prices) => DoubtOf;
