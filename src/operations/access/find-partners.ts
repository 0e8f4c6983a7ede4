import { findPartners } from '../../store/access/partner.ts';
import type { Queryable } from '../../store/database.ts';

/** By id: the names of partners, for lists that hold only ids. */
export async function readNamesOfPartners(db: Queryable, partnerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const partners = await findPartners(db, [...new Set(partnerIds)]);
  return new Map(partners.map(({ partnerId, name }) => [partnerId, name]));
}
