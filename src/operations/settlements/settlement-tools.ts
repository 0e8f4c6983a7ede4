import type { SealKeys } from '../../domain/settlements/settlement-seal.ts';
import type { Partner } from '../../store/access/partner.ts';
import type { Queryable } from '../../store/database.ts';
import type { Prices } from '../../store/settlements/settlement-price.ts';

/** What a settlement needs besides the database. */
export interface SettlementTools extends SealKeys {
  /** The value of a point under every version that the partner's contributions may carry. */
  readonly pricesOf: PricesOf;
  /** Asked before anything is settled under them. */
  readonly doubtsOf: DoubtsOf;
}

export type PricesOf = (db: Queryable, partner: Partner) => Promise<Prices>;

/** Why nothing may be settled at the price that a version of the value of a point has been given; `undefined` where it is what the audit has. */
export type DoubtOf = (version: string) => string | undefined;

/** Reads, in the transaction of a closing, what the audit says of the versions behind the prices. */
export type DoubtsOf = (db: Queryable, partner: Partner, prices: Prices) => Promise<DoubtOf>;
