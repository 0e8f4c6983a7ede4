import type { Contribution } from '../../domain/contributions/contribution.ts';
import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { type PartnerIds, partnerIdsIn } from '../partner-ids.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionId } from './contribution.ts';

/** By what a partner names a contribution. Each has an index that begins with the partner. */
export type ContributionName = 'transaction_id' | 'partner_event_id' | 'partner_order_ref' | 'idempotency_key';

/** Written out: an index that holds contributions of some statuses is found by its text. */
const CONDITIONS: Readonly<Record<ContributionName, readonly string[]>> = {
  transaction_id: [''],
  partner_event_id: [''],
  idempotency_key: [''],
  partner_order_ref: ["and status in ('pending', 'confirmed')", "and status = 'failed'"],
};

const statementsOf = (name: ContributionName): Statement[] =>
  CONDITIONS[name].map((condition, index) => ({
    name: `search_contributions_by_${name}_${index}`,
    text: `select partner_id as "partnerId", transaction_id as "transactionId" from contribution
    where partner_id = any (${partnerIdsIn('$1')}) and ${name} = $2 ${condition} limit $3`,
  }));

const STATEMENTS = {
  transaction_id: statementsOf('transaction_id'),
  partner_event_id: statementsOf('partner_event_id'),
  partner_order_ref: statementsOf('partner_order_ref'),
  idempotency_key: statementsOf('idempotency_key'),
} satisfies Record<ContributionName, Statement[]>;

/** Looks one key up for each partner: it costs as much as there are partners, however many contributions there are. */
export async function searchContributions(
  db: Queryable,
  partnerIds: PartnerIds,
  { name, value, limit }: { readonly name: ContributionName; readonly value: string; readonly limit: number },
): Promise<ContributionId[]> {
  const found: ContributionId[] = [];
  for (const statement of STATEMENTS[name])
    found.push(...(await run<{ partnerId: string; transactionId: string }>(db, statement, [partnerIds, value, limit])));
  return found;
}

const BY_CORRELATION: Statement = {
  name: 'search_contributions_by_correlation',
  text: `select partner_id as "partnerId", transaction_id as "transactionId" from contribution
    where partner_id = any (${partnerIdsIn('$1')}) and transaction_id >= $2 and transaction_id < $3 and correlation_id = $4 limit $5`,
};

/** Among those that were made between two ids: a correlation id has no index, and one that the service made tells its time. */
export async function searchContributionsByCorrelation(
  db: Queryable,
  partnerIds: PartnerIds,
  { fromId, toId, correlationId, limit }: { fromId: string; toId: string; correlationId: string; limit: number },
): Promise<ContributionId[]> {
  return run<{ partnerId: string; transactionId: string }>(db, BY_CORRELATION, [partnerIds, fromId, toId, correlationId, limit]);
}

/** What a list of operators looks at. */
export interface LookedAtContribution {
  readonly transactionId: string;
  readonly status: Contribution['status'];
  readonly createdAt: Date;
  readonly correlationId: string | null;
}

const LIST: KeysetList<'created_at'> = {
  name: 'list_contributions_in_order',
  select: 'transaction_id as "transactionId", status, created_at as "createdAt", correlation_id as "correlationId"',
  from: 'contribution',
  // An id contains the time of its making.
  orders: { created_at: [['transaction_id', 'text']] },
};

export interface IdsBetween {
  readonly partnerId: string;
  readonly afterId?: string | undefined;
  readonly beforeId?: string | undefined;
}

/** Of one partner, between two ids. */
export async function listContributionsInOrder(
  db: Queryable,
  { partnerId, afterId, beforeId }: IdsBetween,
  page: KeysetPage<'created_at'>,
): Promise<(LookedAtContribution & Placed)[]> {
  const conditions = { partner_id: partnerId, 'transaction_id >': afterId, 'transaction_id <': beforeId };
  return listByKeyset<LookedAtContribution, 'created_at'>(db, LIST, conditions, page);
}
