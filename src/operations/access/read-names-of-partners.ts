import { findPartners } from '../../store/access/partner.ts';
import type { Queryable } from '../../store/database.ts';

/** The names of partners by their ids, for lists that hold only ids. */
export async function readNamesOfPartners(db: Queryable, partnerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const partners = await findPartners(db, [...new Set(partnerIds)]);
  return new Map(partners.map(({ partnerId, name }) => [partnerId, name]));
}
