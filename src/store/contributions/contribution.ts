import type { Contribution } from '../../domain/contributions/contribution.ts';
import type { Database, Queryable } from '../database.ts';
import { LINK_COLUMNS, type LinkRow, readLinkRow } from '../emissions/emissions-link.ts';
import { listedStatement, rowOf, rowOfName, run, runListed, runWanted, type Statement, wantedStatement } from '../query.ts';
import {
  CONTRIBUTION_COLUMNS,
  type LookedUpContribution,
  type LookedUpRow,
  readContribution,
  withLink,
} from './looked-up-contribution.ts';

/** A contribution with what the service stores beside it: it is its own idempotency record. */
export interface ContributionRecord extends LookedUpContribution {
  readonly idempotencyKey: string;
  /** SHA-256 of the canonical payload. */
  readonly fingerprint: Buffer;
  /** `pending` for one that began so, whatever its status is now; `failed` for one that two operators recorded. */
  readonly firstStatus: Contribution['status'];
  /** The outcome of the confirmation itself, which a replay returns again. */
  readonly associationOutcome: 'not_requested' | 'associated' | 'rejected';
  /** The correlation id of the request that recorded it. */
  readonly correlationId: string | null;
}

export interface ContributionId {
  readonly partnerId: string;
  readonly transactionId: string;
}

/** A row of the table, without the columns that only its seal needs. */
export interface ContributionRow extends LookedUpRow {
  readonly partner_id: string;
  readonly idempotency_key: string;
  readonly fingerprint: Buffer;
  readonly first_status: ContributionRecord['firstStatus'];
  readonly association_outcome: ContributionRecord['associationOutcome'];
  readonly correlation_id: string | null;
}

function readContributionRow(row: ContributionRow & LinkRow): ContributionRecord {
  return { ...readContributionFields(row), link: readLinkRow(row) };
}

export function readContributionFields(row: ContributionRow): Omit<ContributionRecord, 'link'> {
  return {
    partnerId: row.partner_id,
    contribution: readContribution(row),
    idempotencyKey: row.idempotency_key,
    fingerprint: row.fingerprint,
    calculationId: row.calculation_id,
    firstStatus: row.first_status,
    associationOutcome: row.association_outcome,
    rejectionCode: row.rejection_code,
    correlationId: row.correlation_id,
  };
}

/** SQL: the columns of `contribution c` that a record and the check of its seal both read. */
export const SEALED_COLUMNS = `c.partner_id, c.idempotency_key, c.fingerprint, c.first_status, c.association_outcome, c.correlation_id,
    ${CONTRIBUTION_COLUMNS}`;
const COLUMNS = `${SEALED_COLUMNS},
    ${LINK_COLUMNS}`;

const findBy = (name: string, key: 'partner_event_id' | 'transaction_id', row: typeof rowOf) =>
  wantedStatement(
    name,
    2,
    (partnerId) => `select ${COLUMNS} from unnest($1::text[], $2::text[]) as wanted (partner_id, ${key})
    cross join lateral ${row('contribution', { partnerId, key, value: `wanted.${key}` })} c ${withLink(partnerId)}`,
  );
const FIND_BY_EVENT = findBy('find_contributions_by_event', 'partner_event_id', rowOfName);
const FIND_BY_ID = findBy('find_contributions_by_id', 'transaction_id', rowOf);

/** The contributions of the given events, for any mix of partners, in no order; events without one are left out. */
export async function findContributionsByEvent(
  db: Queryable,
  wanted: readonly { partnerId: string; partnerEventId: string }[],
): Promise<ContributionRecord[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ partnerEventId }) => partnerEventId)];
  return (await runWanted<ContributionRow & LinkRow>(db, FIND_BY_EVENT, wanted, values)).map(readContributionRow);
}

/** Finds contributions of any partners by their transaction ids. */
export async function findContributionsById(
  db: Queryable,
  wanted: readonly { partnerId: string; transactionId: string }[],
): Promise<ContributionRecord[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ transactionId }) => transactionId)];
  return (await runWanted<ContributionRow & LinkRow>(db, FIND_BY_ID, wanted, values)).map(readContributionRow);
}

const FIND_LISTED = listedStatement(
  'find_listed_contributions',
  { table: 'contribution', alias: 'c', key: 'transaction_id' },
  (rows, partnerId) => `select ${COLUMNS} from ${rows} ${withLink(partnerId)}`,
);

/** Finds contributions of any partners. Their order is undefined. It is for a list of operators, and waits for no standby. */
export async function findListedContributions(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  listed: readonly ContributionId[],
): Promise<ContributionRecord[]> {
  const keys = listed.map(({ partnerId, transactionId }) => [partnerId, transactionId] as const);
  return (await runListed<ContributionRow & LinkRow>(database, FIND_LISTED, keys)).map(readContributionRow);
}

/** How a stored record can conflict with a confirmation, each by its own index; a record that does so in two ways is found once. */
const MEETINGS = [
  { key: 'idempotency_key', unless: 'false' },
  { key: 'partner_event_id', unless: 'c.idempotency_key = wanted.idempotency_key' },
  {
    key: 'partner_order_ref',
    condition: "status in ('pending', 'confirmed')",
    unless: 'c.idempotency_key = wanted.idempotency_key or c.partner_event_id = wanted.partner_event_id',
  },
];

const FIND_CONFLICTS = wantedStatement('find_contribution_conflicts', 5, (partnerId) => {
  const meetings = MEETINGS.map(
    ({ unless, ...by }) =>
      `select * from ${rowOfName('contribution', { partnerId, value: `wanted.${by.key}`, ...by })} c where not (${unless})`,
  );
  return `select wanted.place, ${COLUMNS}
    from unnest($1::int4[], $2::text[], $3::text[], $4::text[], $5::text[])
      as wanted (place, partner_id, idempotency_key, partner_event_id, partner_order_ref)
    cross join lateral (${meetings.join(' union all ')}) c ${withLink(partnerId)}`;
});

export interface ConflictKeys {
  readonly partnerId: string;
  readonly idempotencyKey: string;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
}

/**
 * For each confirmation every record that can conflict with it: that of its key, of its event, and the holder of its order; three at
 * most.
 */
export async function findContributionConflicts(db: Queryable, wanted: readonly ConflictKeys[]): Promise<ContributionRecord[][]> {
  const rows = await runWanted<ContributionRow & LinkRow & { place: number }>(db, FIND_CONFLICTS, wanted, [
    wanted.map((_, place) => place),
    wanted.map(({ partnerId }) => partnerId),
    wanted.map(({ idempotencyKey }) => idempotencyKey),
    wanted.map(({ partnerEventId }) => partnerEventId),
    wanted.map(({ partnerOrderRef }) => partnerOrderRef),
  ]);
  const conflicts = wanted.map((): ContributionRecord[] => []);
  for (const row of rows) conflicts[row.place]?.push(readContributionRow(row));
  return conflicts;
}

const LOCK: Statement = {
  name: 'lock_contribution',
  text: `select ${COLUMNS} from contribution c ${withLink('$1')}
    where c.partner_id = $1 and c.transaction_id between $2 and $2 order by c.transaction_id limit 1 for update of c`,
};

/** Locks the row until the transaction ends, so that its status does not change. */
export async function lockContribution(
  db: Queryable,
  partnerId: string,
  transactionId: string,
): Promise<ContributionRecord | undefined> {
  const [row] = await run<ContributionRow & LinkRow>(db, LOCK, [partnerId, transactionId]);
  return row && readContributionRow(row);
}
