import type pg from 'pg';
import { transactionId } from '../../../bench/rows/identifiers.ts';
import { contributionColumns, estimateColumns, insertSelect, linkColumns } from '../../../bench/rows/rows.ts';
import { deliveryId, type HotCallOptions } from './hot-calls.ts';
import { VERIFIED, verifiedRows } from './verified-tables.ts';

/** The tables that are filled. */
export const GROWN = [
  'contribution',
  'estimate',
  'emissions_link',
  'event_outbox',
  'event',
  'delivery',
  'delivery_attempt',
  'event_counter',
  'webhook_endpoint',
  'endpoint_health',
  'contribution_review',
  'daily_count',
  ...VERIFIED,
] as const;

/** Nothing waits for it. */
const QUIET_ENDPOINT = 'whe_00000000quiet';
/** Partners that do nothing. */
const IDLE = 20_000;

type Parties = Pick<HotCallOptions, 'partnerId' | 'keyId' | 'endpointId'>;

/** A partner with a key and an endpoint that is sent everything. */
export async function prepareParties(pool: pg.Pool): Promise<Parties> {
  const parties = { partnerId: 'ptn_large', keyId: 'largekey0001', endpointId: 'whe_00000000large' };
  const { partnerId, keyId, endpointId } = parties;
  await pool.query(
    `insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second) values ($1, 'Large', 1, 1, 1)`,
    [partnerId],
  );
  await pool.query(
    `insert into api_key (key_id, partner_id, secret_sha256, name, permission) values ($1, $2, $3, 'large', 'read_write')`,
    [keyId, partnerId, Buffer.alloc(32)],
  );
  await pool.query(`insert into installation (environment) values ('sandbox')`);
  await pool.query('insert into event_counter (partner_id) values ($1)', [partnerId]);
  for (const id of [endpointId, QUIET_ENDPOINT]) {
    await pool.query(
      `insert into webhook_endpoint (partner_id, endpoint_id, url, status, secret_sealed, created_at, changed_at)
      values ($1, $2, 'https://example.org/' || $2, 'active', 'sealed', now(), now())`,
      [partnerId, id],
    );
    await pool.query('insert into endpoint_health (partner_id, endpoint_id) values ($1, $2)', [partnerId, id]);
    await pool.query("insert into endpoint_watch values ($1, $2, now() + interval '1 hour')", [partnerId, id]);
  }
  return parties;
}

/** What waits is little beside what is done: so it is where sending goes on. */
const WAITING = 1_000;
const LINKED_EVERY = 5;
const DAYS = 5_000;

/** All rows of one partner, written without any of the service's statements. */
export async function fillTables(pool: pg.Pool, terms: HotCallOptions): Promise<void> {
  const { partnerId, rows } = terms;
  // Rows of a test need not survive a power cut, and their triggers say nothing new of rows that are right.
  const begin = 'begin; set local synchronous_commit = off; set local session_replication_role = replica';
  // On a cluster the relay and the dispatcher look at every partner.
  const idle = terms.isDistributed ? [] : idleRows();
  const texts = [...idle, ...recordRows(terms), ...sendingRows(terms), ...verifiedRows(terms, subjectOf(terms.token))];
  for (const text of texts) await pool.query(`${begin}; ${text}; commit`);
  await pool.query('update event_counter set last_sequence = $2 where partner_id = $1', [partnerId, rows]);
}

const NOW_ENTERED = { created_at: 'now()', changed_at: 'now()' };

function numbered(first: number, last: number, where = ''): string {
  return `from generate_series(${first}::bigint, ${last}::bigint) n ${where}`;
}

function subjectOf(token: string): string {
  return `'${transactionId(token, 0).slice(0, -15)}' || lpad(n::text, 15, '0')`;
}

/** What is kept for partners that do nothing. */
function idleRows(): string[] {
  const endpoint = { partner_id: `'ptn_idle' || n`, endpoint_id: `'whe_idle' || n` };
  const target = { url: `'https://example.org/' || n`, status: `'active'`, secret_sealed: `'sealed'`, ...NOW_ENTERED };
  return [
    insertSelect('event_counter', { partner_id: endpoint.partner_id }, numbered(1, IDLE)),
    insertSelect('webhook_endpoint', { ...endpoint, ...target }, numbered(1, IDLE)),
    insertSelect('endpoint_health', endpoint, numbered(1, IDLE)),
  ];
}

function recordRows({ partnerId, token, rows, fewer }: HotCallOptions): string[] {
  const own = { partner: `'${partnerId}'::text`, token, number: 'n' };
  const linked = `where n % ${LINKED_EVERY} = 0`;
  const review = { partner_id: own.partner, transaction_id: subjectOf(token), reason: `'review_threshold'`, opened_at: 'now()' };
  const resolved = { resolved_at: 'now()', resolved_by: `'owner'`, note: `'n'` };
  const day = { partner_id: own.partner, day: `'2026-01-01'::date + n::int4`, points: '1', contributions: '1' };
  const link = { ...linkColumns(own), idempotency_key: `'key-' || n`, fingerprint: `sha256('n')` };
  return [
    insertSelect('estimate', estimateColumns(own), numbered(1, fewer)),
    insertSelect('contribution', contributionColumns({ ...own, isLinked: true }), numbered(1, rows, linked)),
    insertSelect('contribution', contributionColumns(own), numbered(1, rows, `where n % ${LINKED_EVERY} <> 0`)),
    insertSelect('emissions_link', link, numbered(1, fewer, linked)),
    insertSelect('contribution_review', { ...review, ...resolved }, numbered(1, fewer)),
    insertSelect('daily_count', day, numbered(1, DAYS)),
  ];
}

function sendingRows({ partnerId, endpointId, token, rows, fewer }: HotCallOptions): string[] {
  const partner = { partner_id: `'${partnerId}'` };
  const subject = subjectOf(token);
  const event = { event_id: `'evt_' || substr(${subject}, 5)`, event_type: `'impact.transaction.confirmed'` };
  const told = { ...partner, ...event, subject_id: subject, occurred_at: 'now()' };
  const id = `'${deliveryId(token, 0).slice(0, -15)}' || lpad(n::text, 15, '0')`;
  const sending = { ...partner, delivery_id: id, endpoint_id: `'${endpointId}'`, trigger: `'event'` };
  const isWaiting = `n > ${fewer - WAITING}`;
  const state = { status: `case when ${isWaiting} then 'waiting' else 'delivered' end`, attempts_left: '9' };
  const times = { next_attempt_at: 'now()', created_at: 'now()' };
  const attempt = { ...sending, number: '1', started_at: 'now()', milliseconds: '5' };
  return [
    insertSelect('event', { ...told, sequence: 'n' }, numbered(1, rows)),
    insertSelect('event_outbox', told, numbered(rows + 1, rows + WAITING)),
    insertSelect('delivery', { ...sending, ...event, sequence: 'n', ...state, ...times }, numbered(1, fewer)),
    insertSelect('delivery_attempt', attempt, numbered(1, fewer)),
  ];
}
