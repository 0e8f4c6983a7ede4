import { findPartnerNames } from '../../store/access/partner.ts';
import type { Queryable } from '../../store/database.ts';

/** By id: the names of partners, for lists that hold only ids. */
export async function readNamesOfPartners(db: Queryable, partnerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(partnerIds)];
  const partners = ids.length === 0 ? [] : await findPartnerNames(db, ids);
  return new Map(partners.map(({ partnerId, name }) => [partnerId, name]));
}
