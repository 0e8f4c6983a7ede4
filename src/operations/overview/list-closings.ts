import { listPartnersInOrder, type Partner, type PartnerFilter, type PartnerOrder } from '../../store/access/partner.ts';
import { type Database, onOneConnection, type Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { findOpenSettlement, findSettlementBySequence, type Settlement } from '../../store/settlements/settlement.ts';
import { countLeftToDecide, type LeftToDecide } from '../../store/settlements/waiting-for-close.ts';
import { type DisputedSettlement, listOpenDisputes } from '../../store/settlements/waiting-settlement.ts';
import { getPartner } from '../access/manage-partner.ts';
import { type LookedThrough, lookThrough } from '../look-through.ts';

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
): Promise<LookedThrough<Closing>> {
  return onOneConnection(pool, async (db) => {
    const looked = await lookThrough({
      page,
      read: (part) => listPartnersInOrder(db, filter, part),
      isWanted: undefined,
    });
    return { ...looked, page: await Promise.all(looked.page.map((partner) => readClosing(db, partner))) };
  });
}

/** @throws ServiceError `invalid_request` when there is no such partner. */
export async function getClosing(db: Queryable, partnerId: string): Promise<Closing> {
  return readClosing(db, await getPartner(db, partnerId));
}

async function readClosing(db: Queryable, partner: Partner): Promise<Closing> {
  const { partnerId } = partner;
  const [open, left, disputed] = await Promise.all([
    findOpenSettlement(db, partnerId),
    countLeftToDecide(db, partnerId, LEFT_MAX),
    listOpenDisputes(db, partnerId, DISPUTES_MAX),
  ]);
  const last = open && open.sequence > 1n ? await findSettlementBySequence(db, partnerId, open.sequence - 1n) : undefined;
  return { partner, open, last, left, disputed };
}
