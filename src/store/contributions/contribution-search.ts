import type { Contribution } from '../../domain/contributions/contribution.ts';
import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { EVERY_PARTNER } from '../partner-ids.ts';
import { hasName, rowOf, run, type Statement } from '../query.ts';
import type { ContributionId } from './contribution.ts';

/** The names that a partner gives a contribution. Each name begins an index; the order begins one for each of two conditions. */
export type ContributionName = 'partner_event_id' | 'partner_order_ref' | 'idempotency_key';

/** Written out: an index that holds contributions of some statuses is found by its text. */
const CONDITIONS: Readonly<Record<ContributionName, readonly string[]>> = {
  partner_event_id: [''],
  idempotency_key: [''],
  partner_order_ref: ["and status in ('pending', 'confirmed')", "and status = 'failed'"],
};

const SELECT = 'select partner_id as "partnerId", transaction_id as "transactionId" from contribution';

/** What begins with a text is beside it in the index, and what is equal to it comes first. */
const ofAll = (name: ContributionName): OfAllPartners[] =>
  CONDITIONS[name].map((condition, index) => ({
    name: `search_contributions_by_${name}_${index}`,
    write: (
      ofPartners,
    ) => `select partner_id as "partnerId", transaction_id as "transactionId", ${name} = $1 as "isWhole" from contribution
      where ${name} >= $1 and ${name} < $2 and ${ofPartners('partner_id')} ${condition} order by ${name}, partner_id limit $3`,
  }));
/** Sorts after every character of a name. */
const AFTER_ALL = '~';

const ofOne = (name: ContributionName): Statement[] =>
  CONDITIONS[name].map((condition, index) => ({
    name: `search_contributions_of_one_by_${name}_${index}`,
    text: `${SELECT} where ${hasName(name, { partnerId: '$1', value: '$2' })} ${condition} order by ${name} limit $3`,
  }));

const forEachName = <Written>(write: (name: ContributionName) => Written[]) => ({
  partner_event_id: write('partner_event_id'),
  partner_order_ref: write('partner_order_ref'),
  idempotency_key: write('idempotency_key'),
});
const OF_ALL = forEachName(ofAll);
const OF_ONE = forEachName(ofOne);

type Row = Record<string, unknown>;

export interface NameSearch {
  readonly name: ContributionName;
  readonly value: string;
  /** The most contributions; twice as many of an order, whose failed contributions are found separately. */
  readonly limit: number;
}

export interface NamedContributionId extends ContributionId {
  /** Whether the value is the whole name, not only its beginning. */
  readonly isWhole: boolean;
}

/**
 * Finds the contributions of all partners whose name begins with the value, in the order of their names, so that those with exactly this
 * name come first. By order the failed ones follow all others, in the same order among themselves. It reads no more than it finds.
 */
export async function searchContributions(nodes: NodeReader, { name, value, limit }: NameSearch): Promise<NamedContributionId[]> {
  const found: NamedContributionId[] = [];
  for (const statement of OF_ALL[name])
    found.push(...(await nodes.read<NamedContributionId & Row>(statement, [value, `${value}${AFTER_ALL}`, limit])));
  return found;
}

/** Finds the contributions of one partner whose name is the value. */
export async function searchContributionsOf(
  db: Queryable,
  partnerId: string,
  { name, value, limit }: NameSearch,
): Promise<ContributionId[]> {
  const found: ContributionId[] = [];
  for (const statement of OF_ONE[name])
    found.push(...(await run<ContributionId & Row>(db, statement, [partnerId, value, limit])));
  return found;
}

const BY_ID: OfAllPartners = {
  name: 'search_contributions_by_id',
  write(ofPartners) {
    const key = { partnerId: 'p.partner_id', key: 'transaction_id', value: '$1', condition: ofPartners('partner_id') };
    return `select p.partner_id as "partnerId", c.transaction_id as "transactionId" from ${EVERY_PARTNER}
      cross join lateral ${rowOf('contribution', key)} c where ${ofPartners('p.partner_id')} limit 1`;
  },
};

/**
 * Finds a contribution by the id that the service gave it. It looks the key up once for each partner, however many contributions there are.
 */
export async function searchContributionsById(nodes: NodeReader, transactionId: string): Promise<ContributionId[]> {
  return nodes.read<ContributionId & Row>(BY_ID, [transactionId]);
}

const BY_CORRELATION: OfAllPartners = {
  name: 'search_contributions_by_correlation',
  write: (
    ofPartners,
  ) => `select p.partner_id as "partnerId", c.transaction_id as "transactionId" from ${EVERY_PARTNER} cross join lateral (
      select transaction_id from contribution
      where partner_id = p.partner_id and ${ofPartners('partner_id')} and transaction_id >= $1 and transaction_id < $2
        and correlation_id = $3
      order by transaction_id limit $4
    ) c where ${ofPartners('p.partner_id')} limit $4`,
};

/** Among those that were made between two ids: a correlation id has no index, and one that the service made tells its time. */
export async function searchContributionsByCorrelation(
  nodes: NodeReader,
  { fromId, toId, correlationId, limit }: { fromId: string; toId: string; correlationId: string; limit: number },
): Promise<ContributionId[]> {
  return nodes.read<ContributionId & Row>(BY_CORRELATION, [fromId, toId, correlationId, limit]);
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

/** Lists the contributions of one partner between two ids. */
export async function listContributionsInOrder(
  db: Queryable,
  { partnerId, afterId, beforeId }: IdsBetween,
  page: KeysetPage<'created_at'>,
): Promise<(LookedAtContribution & Placed)[]> {
  const conditions = { partner_id: partnerId, 'transaction_id >': afterId, 'transaction_id <': beforeId };
  return listByKeyset<LookedAtContribution, 'created_at'>(db, LIST, conditions, page);
}
