import { listPartnersInOrder, type Partner, type PartnerFilter, type PartnerOrder } from '../../store/access/partner.ts';
import { type Database, onOneConnection, type Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { joinPartnerIds } from '../../store/partner-ids.ts';
import { countLeftToDecide, type LeftToDecide } from '../../store/settlements/left-to-decide.ts';
import { listLatestSettlements, type Settlement } from '../../store/settlements/settlement.ts';
import { type DisputedSettlement, listOpenDisputes } from '../../store/settlements/unaccepted-settlement.ts';
import { getPartner } from '../access/manage-partner.ts';
import { type FilteredPage, readFilteredPage } from '../filtered-page.ts';

/** What counts before the open settlement of a partner closes. */
export interface Closing {
  readonly partner: Partner;
  /** `undefined` for a moment, until the schedule has opened one. */
  readonly open: Settlement | undefined;
  readonly last: Settlement | undefined;
  readonly left: LeftToDecide;
  /** The latest first, {@link DISPUTES_MAX} + 1 at most. */
  readonly disputed: readonly DisputedSettlement[];
}

/** A count stops there. */
export const LEFT_MAX = 1_000;
/** So many disputed settlements are named. */
export const DISPUTES_MAX = 10;

/** Lists the partners with their closings. It reads as much as it shows: no totals of an open settlement. */
export async function listClosings(
  { pool }: Pick<Database, 'pool'>,
  filter: PartnerFilter,
  page: KeysetPage<PartnerOrder>,
): Promise<FilteredPage<Closing>> {
  return onOneConnection(pool, async (db) => {
    const looked = await readFilteredPage({
      page,
      read: (part) => listPartnersInOrder(db, filter, part),
      isWanted: undefined,
    });
    return { ...looked, page: await readClosings(db, looked.page) };
  });
}

/** @throws ServiceError `invalid_request` when there is no such partner. */
export async function getClosing({ pool }: Pick<Database, 'pool'>, partnerId: string): Promise<Closing> {
  const partner = await getPartner(pool, partnerId);
  const [closing] = await onOneConnection(pool, (db) => readClosings(db, [partner]));
  return closing as Closing;
}

const NOTHING_LEFT: LeftToDecide = { pending: 0, drafts: 0, approved: 0 };
/** The open one and the one before. */
const SETTLEMENTS_OF_EACH = 2;

/** With as many statements for any number of partners. */
async function readClosings(db: Queryable, partners: readonly Partner[]): Promise<Closing[]> {
  const partnerIds = joinPartnerIds(partners.map(({ partnerId }) => partnerId));
  const [settlements, left, disputed] = await Promise.all([
    listLatestSettlements(db, partnerIds, SETTLEMENTS_OF_EACH),
    countLeftToDecide(db, partnerIds, LEFT_MAX),
    listOpenDisputes(db, partnerIds, DISPUTES_MAX),
  ]);
  const settlementsOf = Map.groupBy(settlements, ({ partnerId }) => partnerId);
  const disputedOf = Map.groupBy(disputed, ({ partnerId }) => partnerId);
  return partners.map((partner) => {
    const latest = settlementsOf.get(partner.partnerId) ?? [];
    const open = latest.find(({ status }) => status === 'open');
    const last = open && latest.find(({ sequence }) => sequence === open.sequence - 1n);
    return {
      partner,
      open,
      last,
      left: left.get(partner.partnerId) ?? NOTHING_LEFT,
      disputed: disputedOf.get(partner.partnerId) ?? [],
    };
  });
}
