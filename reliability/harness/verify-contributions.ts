/** What has to be true at the end, read from the database itself and not through the service. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../src/store/database.ts';
import type { Intent } from './intent.ts';

export interface Verification {
  readonly rows: number;
  readonly pointsConfirmed: bigint;
  readonly pointsHeld: bigint;
  readonly pointsDeducted: bigint;
  readonly links: number;
  /** Of confirmations, whether or not they have a sequence yet. */
  readonly events: number;
  readonly fieldsCompared: number;
}

const SELECT_CONTRIBUTIONS = `select transaction_id, partner_event_id, partner_order_ref, status, points, opaque_customer_ref,
    contribution_rule_version, point_conversion_version, tree_cost_version,
    json_build_object('summary_en', summary_en, 'summary_ar', summary_ar) as expected_environmental_support,
    status <> 'failed' as non_refundable, (select environment from installation) as environment,
    created_at, confirmed_at, failed_at
  from contribution where partner_id = $1`;

type Row = Record<string, unknown> & {
  partner_event_id: string;
  partner_order_ref: string;
  transaction_id: string;
  status: string;
  points: bigint;
};

/** Of confirmations alone: a statement has one snapshot, so that an event on its way from one table to the other counts once. */
const COUNT_EVENTS = `select subject_id as transaction_id, count(*)::int4 as events from (
    select subject_id from event where partner_id = $1 and event_type = 'impact.transaction.confirmed'
    union all select subject_id from event_outbox where partner_id = $1 and event_type = 'impact.transaction.confirmed'
  ) told group by subject_id`;

/** Every acknowledged contribution exists once, field for field, with its event; nothing else exists; no points are lost or made. */
export async function verify(
  { pool }: Database,
  partnerId: string,
  { intents, report }: { intents: readonly Intent[]; report: (violation: string) => void },
): Promise<Verification> {
  const { rows } = await pool.query<Row>(SELECT_CONTRIBUTIONS, [partnerId]);
  const byEvent = Map.groupBy(rows, (row) => row.partner_event_id);
  let fieldsCompared = 0;
  for (const intent of intents) fieldsCompared += compare(intent, byEvent.get(intent.partnerEventId) ?? [], report);
  const known = new Set(intents.map(({ partnerEventId }) => partnerEventId));
  for (const row of rows) if (!known.has(row.partner_event_id)) report(`a row of an unknown event: ${row.partner_event_id}`);
  for (const [order, holders] of Map.groupBy(rows, (row) => row.partner_order_ref))
    if (holders.length > 1) report(`${order} is held by ${holders.length} contributions`);
  verifyOrdersHeld(intents, new Set(rows.map((row) => row.partner_order_ref)), report);
  const pointsConfirmed = rows.reduce((sum, row) => sum + row.points, 0n);
  const pointsHeld = sumPoints(intents.filter(({ learned }) => learned.outcome === 'order_held_by_another'));
  const pointsDeducted = sumPoints(intents);
  if (pointsDeducted !== pointsConfirmed + pointsHeld)
    report(`deducted ${pointsDeducted}, confirmed ${pointsConfirmed}, held for an operator ${pointsHeld}`);
  return {
    rows: rows.length,
    pointsConfirmed,
    pointsHeld,
    pointsDeducted,
    links: await verifyLinks(pool, partnerId, { intents, report }),
    events: await verifyEvents(pool, partnerId, { rows, report }),
    fieldsCompared,
  };
}

/** @returns How many fields were compared. */
function compare({ partnerEventId, learned }: Intent, rows: readonly Row[], report: (violation: string) => void): number {
  if (rows.length > 1) report(`${partnerEventId} has ${rows.length} rows`);
  const [row] = rows;
  if (learned.outcome !== 'confirmed') {
    if (row) report(`${partnerEventId} is stored, and its partner was told ${learned.outcome}`);
    return 0;
  }
  if (!row) {
    report(`${partnerEventId} was ${learned.isAcknowledged ? 'acknowledged' : 'found by a look-up'} and is not stored`);
    return 0;
  }
  const stored = Object.entries(row).map(([field, value]) => [field, value instanceof Date ? value.toISOString() : value]);
  for (const [field, value] of stored as [string, unknown][])
    if (!isDeepStrictEqual(learned.contribution[field], value))
      report(`${partnerEventId}: ${field} is stored as ${value} and was answered as ${learned.contribution[field]}`);
  const missing = Object.keys(learned.contribution).filter((field) => !(field in row));
  if (missing.length > 0) report(`${partnerEventId}: answered and not stored: ${missing.join(', ')}`);
  return stored.length;
}

function verifyOrdersHeld(intents: readonly Intent[], held: ReadonlySet<string>, report: (violation: string) => void): void {
  for (const { partnerEventId, partnerOrderRef, learned } of intents)
    if (learned.outcome === 'order_held_by_another' && !held.has(partnerOrderRef))
      report(`${partnerEventId} was refused for ${partnerOrderRef}, which nothing holds`);
}

/** Each confirmed contribution has one event of its confirmation, and nothing else has one. @returns How many events there are. */
async function verifyEvents(
  pool: Database['pool'],
  partnerId: string,
  { rows, report }: { rows: readonly Row[]; report: (violation: string) => void },
): Promise<number> {
  const told = await pool.query<{ transaction_id: string; events: number }>(COUNT_EVENTS, [partnerId]);
  const eventsOf = new Map(told.rows.map(({ transaction_id, events }) => [transaction_id, events]));
  for (const { transaction_id, partner_event_id, status } of rows) {
    const events = eventsOf.get(transaction_id) ?? 0;
    eventsOf.delete(transaction_id);
    if (events !== (status === 'confirmed' ? 1 : 0)) report(`${partner_event_id} is ${status} and has ${events} events`);
  }
  for (const transactionId of eventsOf.keys()) report(`an event tells of ${transactionId}, which is not stored`);
  return told.rows.reduce((sum, { events }) => sum + events, 0);
}

/** @returns How many links there are. */
async function verifyLinks(
  pool: Database['pool'],
  partnerId: string,
  { intents, report }: { intents: readonly Intent[]; report: (violation: string) => void },
): Promise<number> {
  const { rows } = await pool.query<{ transaction_id: string; association_id: string; calculation_id: string }>(
    'select transaction_id, association_id, calculation_id from emissions_link where partner_id = $1',
    [partnerId],
  );
  const byTransaction = new Map(rows.map((row) => [row.transaction_id, row]));
  let expected = 0;
  for (const { partnerEventId, wants, learned, calculationId } of intents) {
    if (learned.outcome !== 'confirmed' || wants.estimate === 'none') continue;
    expected++;
    const row = byTransaction.get(learned.contribution.transaction_id);
    const told = learned.laterLink ?? learned.association?.link;
    if (!row) report(`${partnerEventId}: its link is not stored`);
    else if (row.calculation_id !== calculationId)
      report(`${partnerEventId}: linked with ${row.calculation_id}, not ${calculationId}`);
    else if (told && told.association_id !== row.association_id)
      report(`${partnerEventId}: the link is ${row.association_id} and was answered as ${told.association_id}`);
  }
  if (expected !== rows.length) report(`there are ${rows.length} links and there should be ${expected}`);
  return rows.length;
}

function sumPoints(intents: readonly Intent[]): bigint {
  return intents.reduce((sum, { points }) => sum + points, 0n);
}
