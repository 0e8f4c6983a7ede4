import type { SealPart } from '../../domain/audit/record-seal.ts';
import type { Contribution } from '../../domain/contributions/contribution.ts';
import type { EmissionsLink } from '../../domain/emissions/association.ts';
import { announceEvents } from '../announcements.ts';
import {
  type Column,
  insertListed,
  type ListedInsert,
  listsOf,
  millisecondsOf,
  NOW,
  namesOf,
  ON_CONFLICT,
  type OnStored,
  unnested,
} from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionRecord } from './contribution.ts';
import { ABSENT, sealOf, sealOfTexts } from './contribution-seal.ts';

/** A record without its times, which the database sets. */
export interface ContributionDraft extends Omit<ContributionRecord, 'contribution' | 'link'> {
  readonly contribution: Omit<Contribution, 'createdAt' | 'confirmedAt' | 'failedAt'>;
  readonly link: Omit<EmissionsLink, 'associatedAt'> | null;
  /** The database completes it with the times. */
  readonly seal: SealPart;
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
  ['first_status', 'text', (draft) => draft.firstStatus],
  ['contribution_rule_version', 'text', ({ contribution }) => contribution.contributionRuleVersion],
  ['point_conversion_version', 'text', ({ contribution }) => contribution.pointConversionVersion],
  ['tree_cost_version', 'text', ({ contribution }) => contribution.treeCostVersion],
  ['summary_en', 'text', ({ contribution }) => contribution.expectedEnvironmentalSupport.summaryEn],
  ['summary_ar', 'text', ({ contribution }) => contribution.expectedEnvironmentalSupport.summaryAr],
  ['calculation_id', 'text', (draft) => draft.calculationId],
  ['association_outcome', 'text', (draft) => draft.associationOutcome],
  ['rejection_code', 'text', (draft) => draft.rejectionCode],
  ['correlation_id', 'text', (draft) => draft.correlationId],
  ['seal_key', 'text', (draft) => draft.seal.keyId],
];

/** Sent with the others; the database stores what it computes from it. */
const MAC_COLUMN: Column<ContributionDraft> = ['mac', 'text', (draft) => draft.seal.mac];
const SENT_COLUMNS = [...DRAFT_COLUMNS, MAC_COLUMN];

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

/** Read once for all rows: writing it as text for each of them costs more than the rest of the row. */
const CLOCK = `clock as materialized (select ${NOW} as now, ${millisecondsOf(NOW)} as milliseconds)`;
const ifConfirmed = (value: string, otherwise: string) => `case status when 'confirmed' then ${value} else ${otherwise} end`;
const SEAL = sealOfTexts('mac', ['clock.milliseconds', ifConfirmed('clock.milliseconds', "''"), "''"]);

const insertOf = (onStored: OnStored) => `insert into contribution (${namesOf(DRAFT_COLUMNS)}, created_at, confirmed_at, seal)
    select ${namesOf(DRAFT_COLUMNS)}, clock.now, ${ifConfirmed('clock.now', 'null')}, ${SEAL}
    from ${unnested('draft', SENT_COLUMNS)} cross join clock
    ${ON_CONFLICT[onStored]}
    returning partner_id, transaction_id, status, correlation_id, created_at`;

/** The id of a confirmation's event contains the unique part of its contribution's id. */
const ENQUEUE_EVENTS = `insert into event_outbox (partner_id, event_id, event_type, subject_id, correlation_id, occurred_at)
      select partner_id, 'evt_' || substr(transaction_id, 5), 'impact.transaction.confirmed', transaction_id, correlation_id, created_at
      from inserted where status = 'confirmed'`;

/** A hashed list decides which links are inserted; a join of two lists without an index would not be hashed. */
const LINK = `insert into emissions_link (${namesOf(LINK_DRAFT_COLUMNS)}, associated_at)
      select link.*, ${NOW} from ${unnested('link', LINK_DRAFT_COLUMNS, SENT_COLUMNS.length + 1)}
      where coalesce(transaction_id in (select inserted.transaction_id from inserted), false)`;

const RETURN = 'select transaction_id as "transactionId", created_at as "createdAt" from inserted';

interface Inserts {
  readonly alone: Statement;
  readonly withLinks: Statement;
}

function insertsOf(onStored: OnStored, name: string): Inserts {
  const inserting = `with ${CLOCK}, inserted as (${insertOf(onStored)}), enqueued as (${ENQUEUE_EVENTS})`;
  return {
    alone: { name, text: `${inserting} ${RETURN}` },
    withLinks: { name: `${name}_with_links`, text: `${inserting}, linked as (${LINK}) ${RETURN}` },
  };
}

const INSERTS: Readonly<Record<OnStored, Inserts>> = {
  skip: insertsOf('skip', 'insert_contributions'),
  fail: insertsOf('fail', 'insert_new_contributions'),
};

interface InsertedRow {
  readonly transactionId: string;
  readonly createdAt: Date;
}

/**
 * Inserts a batch in one statement: contributions, and the links of those that have one.
 *
 * @returns The creation time of each inserted draft, by transaction id. The unique keys make this exact, however many transactions race;
 * for a missing draft a record with its key, its event or its order exists.
 * @throws pg.DatabaseError 23505 when another transaction linked one of the estimates meanwhile, and when such a record exists and
 * `onStored` is `fail`: nothing is inserted then.
 */
export async function insertContributions(
  db: Queryable,
  drafts: readonly ContributionDraft[],
  onStored: OnStored = 'skip',
): Promise<Map<string, Date>> {
  announceEvents(db);
  const links = linksOf(drafts);
  const values = listsOf(SENT_COLUMNS, drafts);
  const { alone, withLinks } = INSERTS[onStored];
  const rows =
    links.length === 0
      ? await run<InsertedRow>(db, alone, values)
      : await run<InsertedRow>(db, withLinks, [...values, ...listsOf(LINK_DRAFT_COLUMNS, links)]);
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
  onStored: 'fail',
  returning: 'event_id',
};

function isConfirmed({ contribution }: ContributionDraft): boolean {
  return contribution.status === 'confirmed';
}

/**
 * Inserts a batch like {@link insertContributions} on a distributed database: in several statements, which must be in one transaction.
 */
export async function insertContributionsListed(db: Queryable, drafts: readonly ContributionDraft[]): Promise<Map<string, Date>> {
  const contributions: ListedInsert<ContributionDraft> = {
    table: 'contribution',
    columns: DRAFT_COLUMNS,
    computed: ({ contribution: { status } }) => ({ created_at: NOW, confirmed_at: status === 'confirmed' ? NOW : 'null' }),
    derived: ({ seal, contribution: { status } }) => ({
      seal: [seal.mac, (mac) => sealOf(`${mac}::text`, [NOW, status === 'confirmed' ? NOW : ABSENT, ABSENT])],
    }),
    onStored: 'skip',
    returning: 'transaction_id as "transactionId", created_at as "createdAt"',
  };
  const links: ListedInsert<LinkOfPartner> = {
    table: 'emissions_link',
    columns: LINK_DRAFT_COLUMNS,
    computed: () => ({ associated_at: NOW }),
    onStored: 'fail',
    returning: 'transaction_id',
  };
  announceEvents(db);
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
