import type { SealKeys } from '../domain/settlement-seal.ts';
import type { Queryable } from '../store/database.ts';
import type { Partner } from '../store/partner.ts';
import type { Prices } from '../store/settlement-price.ts';

/** What a settlement needs besides the database. */
export interface SettlementTools extends SealKeys {
  /** The value of a point under every version that the partner's contributions may carry. */
  readonly pricesOf: PricesOf;
}

export type PricesOf = (db: Queryable, partner: Partner) => Promise<Prices>;
