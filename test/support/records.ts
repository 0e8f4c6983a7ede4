import { sealRows } from '../../reliability/harness/seal-rows.ts';
import { fingerprint } from '../../src/domain/fingerprint.ts';
import { newPartnerId } from '../../src/domain/identifiers.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { insertPartner, type Partner } from '../../src/store/access/partner.ts';
import type { Database, Queryable } from '../../src/store/database.ts';
import { OWNER } from './actor.ts';
import { waitFor } from './assertions/wait-for.ts';
import { uniqueId } from './client.ts';

const countOf = (table: string) => `select count(*)::int4 as count from ${table} where partner_id = $1`;

/** The tables that grow with what a partner or an operator sends, but for those of events. */
const GROWING = [
  'contribution',
  'contribution_review',
  'estimate',
  'emissions_link',
  'failure_draft',
  'adjustment',
  'settlement',
  'settlement_line',
  'settlement_acknowledgement',
  'reconciliation',
  'reconciliation_line',
  'webhook_endpoint',
  'delivery',
  'delivery_attempt',
  'keyed_answer',
  'sandbox_due',
  'audit_entry',
] as const;

/**
 * How many rows a partner has in each growing table, and how many contributions its days have counted: what a refusal must leave as it
 * was. The relay moves an event out of its outbox at any moment, so that both together are counted, at one moment.
 */
export async function countRows({ pool }: Database, partnerId: string): Promise<Record<string, number>> {
  const counted = {
    ...Object.fromEntries(GROWING.map((table) => [table, countOf(table)])),
    daily_count: 'select coalesce(sum(contributions), 0)::int4 as count from daily_count where partner_id = $1',
    event: `select sum(count)::int4 as count from (
      select count(*) from event_outbox where partner_id = $1 union all select count(*) from event where partner_id = $1) as both_tables`,
  };
  const counts: Record<string, number> = {};
  for (const [name, text] of Object.entries(counted)) counts[name] = (await pool.query(text, [partnerId])).rows[0].count;
  return counts;
}

/** Waits until so many events of the partner have their place. */
export async function untilSequenced({ pool }: Database, partnerId: string, sequence: number): Promise<void> {
  let last = 0;
  const isNumbered = async () => {
    const { rows } = await pool.query('select last_sequence from event_counter where partner_id = $1', [partnerId]);
    last = Number(rows[0]?.last_sequence ?? 0);
    return last >= sequence;
  };
  await waitFor(`event ${sequence} of ${partnerId}`, isNumbered, () => ({ last }));
}

/** Waits until what the partner's outbox holds now has its place. */
export async function untilAllSequenced(database: Database, partnerId: string): Promise<void> {
  // In one statement: between two of them the relay may number an event, which would then be waited for twice.
  const { rows } = await database.pool.query(
    `select (select count(*) from event_outbox where partner_id = $1) + last_sequence as last from event_counter where partner_id = $1`,
    [partnerId],
  );
  await untilSequenced(database, partnerId, Number(rows[0].last));
}

export interface Aged {
  readonly partnerId: string;
  readonly partnerOrderRef: string;
  /** How long ago, such as `24 hours`: time enters as data. */
  readonly age: string;
}

/** An estimate as if it had been made so long ago. */
export async function insertEstimateAged({ pool }: Database, { partnerId, partnerOrderRef, age }: Aged): Promise<string> {
  const calculationId = uniqueId('calc');
  await pool.query(
    `insert into estimate (partner_id, calculation_id, idempotency_key, fingerprint, partner_order_ref, distance_km, vehicle_category,
      methodology_version, vehicle_catalog_version, emission_factor_version, emission_factor_gco2e_per_km, lifecycle_boundary,
      raw_emissions_gco2e, estimated_emissions_kgco2e, calculated_at, expires_at)
    values ($1, $2, $2, $3, $4, '1', 'car_gasoline', 'm', 'v', 'f', 207.51, 'well_to_wheel', 207.51, 0.20751,
      date_trunc('milliseconds', now() - $5::interval), date_trunc('milliseconds', now() - $5::interval) + interval '24 hours')`,
    [partnerId, calculationId, fingerprint('test', {}), partnerOrderRef, age],
  );
  return calculationId;
}

/** A pending contribution as if it had been made so long ago, which asked for the estimate. */
export async function insertPendingAged(
  database: Database,
  { partnerId, partnerOrderRef, age }: Aged,
  calculationId: string | null = null,
): Promise<string> {
  const transactionId = uniqueId('txn');
  const client = await database.pool.connect();
  await client.query('begin');
  await client.query(
    `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points,
      status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
      calculation_id, association_outcome, rejection_code, created_at)
    values ($1, $2, $2, $3, $2, $4, 5, 'pending', 'pending', 'r', 'p', 't', 'en', 'ar', $6::text, case when $6::text is null then 'not_requested' else 'rejected' end,
      case when $6::text is not null then 'contribution_pending' end,
      now() - $5::interval)`,
    [partnerId, transactionId, fingerprint('test', {}), partnerOrderRef, age, calculationId],
  );
  await client.query(
    `insert into contribution_review (partner_id, transaction_id, reason, opened_at) values ($1, $2, 'reviews_everything', date_trunc('milliseconds', now() - $3::interval))`,
    [partnerId, transactionId, age],
  );
  await sealRows({ ...database, pool: client as unknown as Database['pool'] }, partnerId, [transactionId]);
  await client.query('commit');
  client.release();
  return transactionId;
}

/** A link as a confirmation makes it. */
export async function insertLink(
  db: Queryable,
  partnerId: string,
  { transactionId, calculationId }: { readonly transactionId: string; readonly calculationId: string },
): Promise<void> {
  await db.query(
    `insert into emissions_link (partner_id, transaction_id, association_id, calculation_id, partner_order_ref,
      estimated_emissions_kgco2e, distance_km, vehicle_category, methodology_version, emission_factor_version, calculated_at, associated_at)
    select e.partner_id, $2, $4, e.calculation_id, e.partner_order_ref, e.estimated_emissions_kgco2e, e.distance_km, e.vehicle_category,
      e.methodology_version, e.emission_factor_version, e.calculated_at, e.calculated_at
    from estimate e where e.partner_id = $1 and e.calculation_id = $3`,
    [partnerId, transactionId, calculationId, uniqueId('assoc')],
  );
}

/** As from before partners had settlements: without one, without a counter of events, and told of nothing yet. */
export async function insertOldPartner(database: Database): Promise<Partner> {
  const rates = { writesPerSecond: 1_000, lookupsPerSecond: 1_000, reportsPerSecond: 1_000 };
  const terms = { currency: null, timeZone: 'Asia/Riyadh' };
  const partner = await insertPartner(database.pool, { partnerId: newPartnerId(), name: 'From before', ...rates, ...terms });
  await attestRecord(database, OWNER, { kind: 'partner', id: partner.partnerId, reason: 'made by a test' });
  return partner;
}

/** Stores copies of the only contribution that a partner has, unsealed and without events: `txn_copy-N` from the first number to the last. */
export async function copyContributions(
  pool: Database['pool'],
  partnerId: string,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<void> {
  await pool.query(
    `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref,
      points, status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
      association_outcome, created_at, confirmed_at)
    select partner_id, 'txn_copy-' || n, 'key-' || n, fingerprint, 'event-' || n, 'order-' || n, points, status, first_status,
      contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome, created_at,
      confirmed_at + n * interval '1 ms'
    from contribution cross join generate_series($2::int, $3::int) n where partner_id = $1 and transaction_id not like 'txn_copy-%'`,
    [partnerId, first, last],
  );
}
