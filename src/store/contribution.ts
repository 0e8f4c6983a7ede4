import type { EmissionsLink, RejectionCode } from '../domain/association.ts';
import type { Contribution } from '../domain/contribution.ts';
import { findStatement, type Queryable, run, runFind, type Statement } from './database.ts';
import { LINK_COLUMNS, type LinkRow, readLinkRow } from './emissions-link.ts';
import { type Column, insertListed, type ListedInsert, listsOf, NOW, namesOf, unnested } from './rows.ts';

/** A contribution with what the service keeps beside it: it is its own idempotency record. */
export interface ContributionRecord {
  readonly partnerId: string;
  readonly contribution: Contribution;
  readonly idempotencyKey: string;
  /** SHA-256 of the canonical payload. */
  readonly fingerprint: Buffer;
  /** As asked for, when it was well formed. */
  readonly calculationId: string | null;
  /** `pending` for one that began so, whatever became of it; `failed` for one that two operators recorded. */
  readonly firstStatus: Contribution['status'];
  /** The outcome of the confirmation itself, which a replay gives again. */
  readonly associationOutcome: 'not_requested' | 'associated' | 'rejected';
  readonly rejectionCode: RejectionCode | null;
  /** Of the request that recorded it. */
  readonly correlationId: string | null;
  /** The link as of now, whether made by the confirmation or later. */
  readonly link: EmissionsLink | null;
}

/** A record before its times, which are the database's. */
export interface ContributionDraft extends Omit<ContributionRecord, 'contribution' | 'firstStatus' | 'link'> {
  readonly contribution: Omit<Contribution, 'createdAt' | 'confirmedAt' | 'failedAt'>;
  readonly link: Omit<EmissionsLink, 'associatedAt'> | null;
}

const DRAFT_COLUMNS: readonly Column<ContributionDraft>[] = [
  ['partner_id', 'text', (draft) => draft.partnerId],
  ['transaction_id', 'text', ({ contribution }) => contribution.transactionId],
  ['idempotency_key', 'text', (draft) => draft.idempotencyKey],
  ['fingerprint', 'bytea', (draft) => draft.fingerprint],
  ['partner_event_id', 'text', ({ contribution }) => contribution.partnerEventId],
  ['partner_order_ref', 'text', ({ contribution }) => contribution.partnerOrderRef],
  ['points', 'int8', ({ contribution }) => contribution.points],
  ['opaque_customer_ref', 'text', ({ contribution }) => contribution.opaqueCustomerRef],
  ['status', 'text', ({ contribution }) => contribution.status],
  ['first_status', 'text', ({ contribution }) => contribution.status],
  ['contribution_rule_version', 'text', ({ contribution }) => contribution.contributionRuleVersion],
  ['point_conversion_version', 'text', ({ contribution }) => contribution.pointConversionVersion],
  ['tree_cost_version', 'text', ({ contribution }) => contribution.treeCostVersion],
  ['summary_en', 'text', ({ contribution }) => contribution.expectedEnvironmentalSupport.summaryEn],
  ['summary_ar', 'text', ({ contribution }) => contribution.expectedEnvironmentalSupport.summaryAr],
  ['calculation_id', 'text', (draft) => draft.calculationId],
  ['association_outcome', 'text', (draft) => draft.associationOutcome],
  ['rejection_code', 'text', (draft) => draft.rejectionCode],
  ['correlation_id', 'text', (draft) => draft.correlationId],
];

type LinkOfPartner = Omit<EmissionsLink, 'associatedAt'> & { readonly partnerId: string };

const LINK_DRAFT_COLUMNS: readonly Column<LinkOfPartner>[] = [
  ['partner_id', 'text', (link) => link.partnerId],
  ['transaction_id', 'text', (link) => link.transactionId],
  ['association_id', 'text', (link) => link.associationId],
  ['calculation_id', 'text', (link) => link.calculationId],
  ['partner_order_ref', 'text', (link) => link.partnerOrderRef],
  ['estimated_emissions_kgco2e', 'numeric', (link) => link.estimatedEmissionsKgco2e],
  ['distance_km', 'text', (link) => link.distanceKm],
  ['vehicle_category', 'text', (link) => link.vehicleCategory],
  ['methodology_version', 'text', (link) => link.methodologyVersion],
  ['emission_factor_version', 'text', (link) => link.emissionFactorVersion],
  ['calculated_at', 'timestamptz', (link) => link.calculatedAt],
];

const INSERT = `insert into contribution (${namesOf(DRAFT_COLUMNS)}, created_at, confirmed_at)
    select draft.*, ${NOW}, case status when 'confirmed' then ${NOW} end from ${unnested('draft', DRAFT_COLUMNS)}
    on conflict do nothing
    returning partner_id, transaction_id, status, correlation_id, created_at`;

/** The event of a confirmation carries the unique part of its contribution's id. */
const TELL = `insert into event_outbox (partner_id, event_id, event_type, subject_id, correlation_id, occurred_at)
      select partner_id, 'evt_' || substr(transaction_id, 5), 'impact.transaction.confirmed', transaction_id, correlation_id, created_at
      from inserted where status = 'confirmed'`;

const INSERT_CONTRIBUTIONS: Statement = {
  name: 'insert_contributions',
  text: `with inserted as (${INSERT}), told as (${TELL}) select transaction_id as "transactionId", created_at as "createdAt" from inserted`,
};

/** Which links go in is told by a hashed list, which a join of two lists without an index would not be. */
const INSERT_CONTRIBUTIONS_WITH_LINKS: Statement = {
  name: 'insert_contributions_with_links',
  text: `with inserted as (${INSERT}), told as (${TELL}), linked as (
      insert into emissions_link (${namesOf(LINK_DRAFT_COLUMNS)}, associated_at)
      select link.*, ${NOW} from ${unnested('link', LINK_DRAFT_COLUMNS, DRAFT_COLUMNS.length + 1)}
      where coalesce(transaction_id in (select inserted.transaction_id from inserted), false)
    )
    select transaction_id as "transactionId", created_at as "createdAt" from inserted`,
};

interface InsertedRow {
  readonly transactionId: string;
  readonly createdAt: Date;
}

/**
 * Inserts a batch in one statement: contributions, and the links of those that have one.
 *
 * @returns The creation time of each draft that was inserted, by transaction id. The unique keys let no other in, however
 * many transactions race; a draft that is missing here met a record with its key, its event or its order.
 * @throws pg.DatabaseError 23505 when another transaction linked one of the estimates meanwhile: nothing is inserted then.
 */
export async function insertContributions(db: Queryable, drafts: readonly ContributionDraft[]): Promise<Map<string, Date>> {
  const links = linksOf(drafts);
  const values = listsOf(DRAFT_COLUMNS, drafts);
  const rows =
    links.length === 0
      ? await run<InsertedRow>(db, INSERT_CONTRIBUTIONS, values)
      : await run<InsertedRow>(db, INSERT_CONTRIBUTIONS_WITH_LINKS, [...values, ...listsOf(LINK_DRAFT_COLUMNS, links)]);
  return timesOf(rows);
}

const confirmationEvents: ListedInsert<ContributionDraft> = {
  table: 'event_outbox',
  columns: [
    ['partner_id', 'text', (draft) => draft.partnerId],
    ['event_id', 'text', ({ contribution }) => `evt_${contribution.transactionId.slice('txn_'.length)}`],
    ['event_type', 'text', () => 'impact.transaction.confirmed'],
    ['subject_id', 'text', ({ contribution }) => contribution.transactionId],
    ['correlation_id', 'text', (draft) => draft.correlationId],
  ],
  computed: () => ({ occurred_at: NOW }),
  skipsConflicts: false,
  returning: 'event_id',
};

function isConfirmed({ contribution }: ContributionDraft): boolean {
  return contribution.status === 'confirmed';
}

/** The same for a distributed database, in several statements, which have to be in one transaction. */
export async function insertContributionsListed(db: Queryable, drafts: readonly ContributionDraft[]): Promise<Map<string, Date>> {
  const contributions: ListedInsert<ContributionDraft> = {
    table: 'contribution',
    columns: DRAFT_COLUMNS,
    computed: ({ contribution }) => ({ created_at: NOW, confirmed_at: contribution.status === 'confirmed' ? NOW : 'null' }),
    skipsConflicts: true,
    returning: 'transaction_id as "transactionId", created_at as "createdAt"',
  };
  const links: ListedInsert<LinkOfPartner> = {
    table: 'emissions_link',
    columns: LINK_DRAFT_COLUMNS,
    computed: () => ({ associated_at: NOW }),
    skipsConflicts: false,
    returning: 'transaction_id',
  };
  const times = timesOf(await insertListed<ContributionDraft, InsertedRow>(db, contributions, drafts));
  const inserted = drafts.filter(({ contribution }) => times.has(contribution.transactionId));
  await insertListed(db, links, linksOf(inserted));
  await insertListed(db, confirmationEvents, inserted.filter(isConfirmed));
  return times;
}

function linksOf(drafts: readonly ContributionDraft[]): LinkOfPartner[] {
  return drafts.flatMap(({ partnerId, link }) => (link ? { partnerId, ...link } : []));
}

function timesOf(rows: readonly InsertedRow[]): Map<string, Date> {
  return new Map(rows.map(({ transactionId, createdAt }) => [transactionId, createdAt]));
}

interface ContributionRow extends LinkRow {
  readonly partner_id: string;
  readonly transaction_id: string;
  readonly idempotency_key: string;
  readonly fingerprint: Buffer;
  readonly partner_event_id: string;
  readonly partner_order_ref: string;
  readonly points: bigint;
  readonly opaque_customer_ref: string | null;
  readonly status: Contribution['status'];
  readonly contribution_rule_version: string;
  readonly point_conversion_version: string;
  readonly tree_cost_version: string;
  readonly summary_en: string;
  readonly summary_ar: string;
  readonly calculation_id: string | null;
  readonly first_status: ContributionRecord['firstStatus'];
  readonly association_outcome: ContributionRecord['associationOutcome'];
  readonly rejection_code: RejectionCode | null;
  readonly correlation_id: string | null;
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly failed_at: Date | null;
}

function readContributionRow(row: ContributionRow): ContributionRecord {
  return {
    partnerId: row.partner_id,
    contribution: {
      transactionId: row.transaction_id,
      partnerEventId: row.partner_event_id,
      partnerOrderRef: row.partner_order_ref,
      status: row.status,
      points: row.points,
      opaqueCustomerRef: row.opaque_customer_ref,
      contributionRuleVersion: row.contribution_rule_version,
      pointConversionVersion: row.point_conversion_version,
      treeCostVersion: row.tree_cost_version,
      expectedEnvironmentalSupport: { summaryEn: row.summary_en, summaryAr: row.summary_ar },
      createdAt: row.created_at,
      confirmedAt: row.confirmed_at,
      failedAt: row.failed_at,
    },
    idempotencyKey: row.idempotency_key,
    fingerprint: row.fingerprint,
    calculationId: row.calculation_id,
    firstStatus: row.first_status,
    associationOutcome: row.association_outcome,
    rejectionCode: row.rejection_code,
    correlationId: row.correlation_id,
    link: readLinkRow(row),
  };
}

const COLUMNS = `c.partner_id, c.transaction_id, c.idempotency_key, c.fingerprint, c.partner_event_id, c.partner_order_ref, c.points,
    c.opaque_customer_ref, c.status, c.contribution_rule_version, c.point_conversion_version, c.tree_cost_version, c.summary_en,
    c.summary_ar, c.calculation_id, c.first_status, c.association_outcome, c.rejection_code, c.correlation_id, c.created_at, c.confirmed_at, c.failed_at,
    ${LINK_COLUMNS}`;
const LINK_JOIN = 'left join emissions_link l on l.partner_id = c.partner_id and l.transaction_id = c.transaction_id';

const FIND_BY_EVENT = findStatement(
  'find_contributions_by_event',
  { table: 'c', parameters: 2 },
  (condition) => `select ${COLUMNS}
    from unnest($1::text[], $2::text[]) as wanted (partner_id, partner_event_id)
    join contribution c on c.partner_id = wanted.partner_id and c.partner_event_id = wanted.partner_event_id${condition} ${LINK_JOIN}`,
);

const FIND_BY_ID = findStatement(
  'find_contributions_by_id',
  { table: 'c', parameters: 2 },
  (condition) => `select ${COLUMNS}
    from unnest($1::text[], $2::text[]) as wanted (partner_id, transaction_id)
    join contribution c on c.partner_id = wanted.partner_id and c.transaction_id = wanted.transaction_id${condition} ${LINK_JOIN}`,
);

/** The contributions of the given events, for any mix of partners, in no order; events without one are left out. */
export async function findContributionsByEvent(
  db: Queryable,
  wanted: readonly { partnerId: string; partnerEventId: string }[],
): Promise<ContributionRecord[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ partnerEventId }) => partnerEventId)];
  return (await runFind<ContributionRow>(db, FIND_BY_EVENT, wanted, values)).map(readContributionRow);
}

/** The same by transaction id. */
export async function findContributionsById(
  db: Queryable,
  wanted: readonly { partnerId: string; transactionId: string }[],
): Promise<ContributionRecord[]> {
  const values = [wanted.map(({ partnerId }) => partnerId), wanted.map(({ transactionId }) => transactionId)];
  return (await runFind<ContributionRow>(db, FIND_BY_ID, wanted, values)).map(readContributionRow);
}

/** How a stored record can meet a confirmation, each by an index of its own; a record that does so in two ways is found in one. */
const MEETINGS = [
  'c.idempotency_key = wanted.idempotency_key',
  'c.partner_event_id = wanted.partner_event_id and c.idempotency_key <> wanted.idempotency_key',
  `c.partner_order_ref = wanted.partner_order_ref and c.status in ('pending', 'confirmed')
      and c.idempotency_key <> wanted.idempotency_key and c.partner_event_id <> wanted.partner_event_id`,
];

const FIND_RIVALS = findStatement('find_contribution_rivals', { table: 'c', parameters: 5 }, (condition) =>
  MEETINGS.map(
    (meeting) => `select wanted.place, ${COLUMNS}
    from unnest($1::int4[], $2::text[], $3::text[], $4::text[], $5::text[])
      as wanted (place, partner_id, idempotency_key, partner_event_id, partner_order_ref)
    join contribution c on c.partner_id = wanted.partner_id and ${meeting}${condition} ${LINK_JOIN}`,
  ).join(' union all '),
);

export interface ContributionClaims {
  readonly partnerId: string;
  readonly idempotencyKey: string;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
}

/** For each confirmation every record that it can meet: that of its key, of its event, and the holder of its order; three at most. */
export async function findContributionRivals(
  db: Queryable,
  wanted: readonly ContributionClaims[],
): Promise<ContributionRecord[][]> {
  const rows = await runFind<ContributionRow & { place: number }>(db, FIND_RIVALS, wanted, [
    wanted.map((_, place) => place),
    wanted.map(({ partnerId }) => partnerId),
    wanted.map(({ idempotencyKey }) => idempotencyKey),
    wanted.map(({ partnerEventId }) => partnerEventId),
    wanted.map(({ partnerOrderRef }) => partnerOrderRef),
  ]);
  const rivals = wanted.map((): ContributionRecord[] => []);
  for (const row of rows) rivals[row.place]?.push(readContributionRow(row));
  return rivals;
}

const LOCK: Statement = {
  name: 'lock_contribution',
  text: `select ${COLUMNS} from contribution c ${LINK_JOIN} where c.partner_id = $1 and c.transaction_id = $2 for update of c`,
};

/** Holds the row until the transaction ends, so that its status cannot change meanwhile. */
export async function lockContribution(
  db: Queryable,
  partnerId: string,
  transactionId: string,
): Promise<ContributionRecord | undefined> {
  const [row] = await run<ContributionRow>(db, LOCK, [partnerId, transactionId]);
  return row && readContributionRow(row);
}

export interface ContributionId {
  readonly partnerId: string;
  readonly transactionId: string;
}

const CONFIRM_PENDING: Statement = {
  name: 'update_contribution_confirmed',
  text: `update contribution set status = 'confirmed', association_outcome = $3, rejection_code = $4,
      confirmed_at = date_trunc('milliseconds', now())
    where partner_id = $1 and transaction_id = $2`,
};

/** Ends a pending contribution. The database refuses it for any other. */
export async function updateContributionConfirmed(
  db: Queryable,
  { partnerId, transactionId }: ContributionId,
  { associationOutcome, rejectionCode }: Pick<ContributionRecord, 'associationOutcome' | 'rejectionCode'>,
): Promise<void> {
  await run(db, CONFIRM_PENDING, [partnerId, transactionId, associationOutcome, rejectionCode]);
}

const FAIL_PENDING: Statement = {
  name: 'update_contribution_failed',
  text: `update contribution set status = 'failed', failure_reason = $3, failed_at = date_trunc('milliseconds', now())
    where partner_id = $1 and transaction_id = $2`,
};

/** Ends a pending contribution, which frees its order. The database refuses it for any other. */
export async function updateContributionFailed(
  db: Queryable,
  { partnerId, transactionId }: ContributionId,
  reason: string,
): Promise<void> {
  await run(db, FAIL_PENDING, [partnerId, transactionId, reason]);
}

/** What two operators record as failed. Its key is none that a partner can send. */
export interface FailedContribution
  extends Pick<ContributionRecord, 'partnerId' | 'idempotencyKey' | 'fingerprint' | 'correlationId'> {
  readonly contribution: Omit<Contribution, 'status' | 'opaqueCustomerRef' | 'createdAt' | 'confirmedAt' | 'failedAt'>;
  readonly failureReason: string;
  readonly draftedBy: string;
  readonly approvedBy: string;
}

const INSERT_FAILED: Statement = {
  name: 'insert_contribution_failed',
  text: `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points,
      status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
      association_outcome, correlation_id, failure_reason, failure_drafted_by, failure_approved_by, created_at, failed_at)
    values ($1, $2, $3, $4, $5, $6, $7, 'failed', 'failed', $8, $9, $10, $11, $12, 'not_requested', $13, $14, $15, $16, ${NOW}, ${NOW})`,
};

/**
 * The database refuses it unless two different operators stand for it.
 *
 * @throws pg.DatabaseError 23505 on `contribution_partner_event` when the event is stored already, in whichever status.
 */
export async function insertFailedContribution(db: Queryable, failed: FailedContribution): Promise<void> {
  const { contribution } = failed;
  await run(db, INSERT_FAILED, [
    failed.partnerId,
    contribution.transactionId,
    failed.idempotencyKey,
    failed.fingerprint,
    contribution.partnerEventId,
    contribution.partnerOrderRef,
    contribution.points,
    contribution.contributionRuleVersion,
    contribution.pointConversionVersion,
    contribution.treeCostVersion,
    contribution.expectedEnvironmentalSupport.summaryEn,
    contribution.expectedEnvironmentalSupport.summaryAr,
    failed.correlationId,
    failed.failureReason,
    failed.draftedBy,
    failed.approvedBy,
  ]);
}
