import { listPartners, listPartnersLike, listPartnersOfIds, type Partner } from '../../store/access/partner.ts';
import type { Queryable } from '../../store/database.ts';

export interface PartnerPage {
  /** A part of the name, in whatever case; `undefined` for all partners. */
  readonly text: string | undefined;
  readonly afterId: string;
  readonly limit: number;
}

/** The oldest first. */
export async function findPartners(db: Queryable, { text, afterId, limit }: PartnerPage): Promise<Partner[]> {
  return text === undefined ? listPartners(db, { afterId, limit }) : listPartnersLike(db, { afterId, text, limit });
}

/** By id: the names of partners, for lists that hold only ids. */
export async function readNamesOfPartners(db: Queryable, partnerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(partnerIds)];
  const partners = ids.length === 0 ? [] : await listPartnersOfIds(db, { afterId: '', ids, limit: ids.length });
  return new Map(partners.map(({ partnerId, name }) => [partnerId, name]));
}
