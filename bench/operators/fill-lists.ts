/** What the lists of operators show, as rows that no operation made: to measure how they are read, and for nothing else. */
import type pg from 'pg';

/** How many rows there are of each kind; `others` are entries of the audit and runs of jobs. */
export interface ListCounts {
  readonly partners: number;
  readonly contributions: number;
  /** Of the contributions that wait: the first ones, and the latest of a partner. */
  readonly reviews: number;
  readonly settlements: number;
  readonly adjustments: number;
  readonly endpoints: number;
  /** Waiting, all for one endpoint. */
  readonly deliveries: number;
  readonly others: number;
}

const CHUNK_ROWS = 250_000;

/** Identifiers of the form that the service gives, the later ones higher. */
const id = (prefix: string, number: string) => `'${prefix}_01' || lpad(${number}::text, 24, '0')`;
const partner = (number: number) => `'ptn_${String(number).padStart(26, '0')}'`;
const PARTNER = "'ptn_' || lpad((n % $1)::text, 26, '0')";
/** The number of the latest contribution of `partner(7)`, which waits. */
const LATEST = '$4 - ($4 - 7) % $1';
const IS_PENDING = `(n < $3 or n = ${LATEST})`;

/** `$1` partners, `$2` rows of the kind, `$3` reviews, `$4` contributions; a row for each `n`. */
const INSERTS: readonly [counted: keyof ListCounts, text: string][] = [
  [
    'partners',
    `insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second)
      select ${PARTNER}, 'Partner ' || n, 100, 200, 50 from generate_series($from, $to) n`,
  ],
  ['partners', `insert into event_counter (partner_id, last_sequence) select ${PARTNER}, n from generate_series($from, $to) n`],
  [
    'partners',
    `insert into day_total_place (partner_id, through_sequence) select ${PARTNER}, n from generate_series($from, $to) n`,
  ],
  [
    'partners',
    `insert into day_total (partner_id, day, point_conversion_version, confirmed_count, confirmed_points, failed_count)
      select ${PARTNER}, day, 'default-1', n, 250 * n, 1 from generate_series($from, $to) n,
        generate_series(date_trunc('month', now()), now(), interval '1 day') day`,
  ],
  [
    'contributions',
    `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points, status, first_status,
        contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome, created_at, confirmed_at)
      select ${PARTNER}, ${id('txn', 'n')}, 'key-' || n, decode(repeat('00', 32), 'hex'), 'event-' || n, 'order-' || n, n,
        case when ${IS_PENDING} then 'pending' else 'confirmed' end, case when ${IS_PENDING} then 'pending' else 'confirmed' end,
        'default-1', 'default-1', 'default-1', '', '', 'not_requested', now(), case when ${IS_PENDING} then null else now() end
      from generate_series($from, $to) n`,
  ],
  [
    'reviews',
    `insert into contribution_review (partner_id, transaction_id, reason, opened_at)
      select ${PARTNER}, ${id('txn', 'n')}, 'review_threshold', now() - review * interval '1 second'
      from (select review, case when review = $3 then ${LATEST} else review end as n from generate_series($from, $to) review) waiting`,
  ],
  [
    'settlements',
    `insert into settlement (partner_id, settlement_id, sequence, status, period_start, period_end, period_timezone, period_label, follows_event, created_at,
        closed_at, contribution_count, adjustment_count, gross_points, adjustment_points, carried_points, net_points, totals_by_version, csv_sha256, csv_bytes,
        line_count, chain_sha256, seal)
      select ${PARTNER}, ${id('stl', 'n')}, n, 'closed', now() - interval '2 day', now() - interval '1 day', 'UTC', 'label-' || n, 0, now(),
        now() - n * interval '1 minute', 0, 0, 0, 0, 0, 0, '[]', '', 0, 0, '', '' from generate_series($from, $to) n`,
  ],
  [
    'adjustments',
    `insert into adjustment (partner_id, adjustment_id, status, transaction_id, partner_event_id, partner_order_ref, contribution_points, confirmed_at,
        contribution_rule_version, point_conversion_version, tree_cost_version, reason_code, reason_en, reason_ar, points_delta, drafted_by, drafted_at)
      select ${PARTNER}, ${id('adj', 'n')}, 'draft', ${id('txn', 'n')}, 'event-' || n, 'order-' || n, n, now(), 'default-1', 'default-1', 'default-1',
        'operator_error', 'x', 'x', -1, 'opr_x', now() from generate_series($from, $to) n`,
  ],
  [
    'settlements',
    `insert into settlement_line (partner_id, settlement_id, line_no, line_type, transaction_id, partner_event_id, partner_order_ref, points, confirmed_at,
        contribution_rule_version, point_conversion_version, tree_cost_version)
      select ${PARTNER}, ${id('stl', 'n')}, n, 'contribution', ${id('txn', 'n')}, 'event-' || n, 'order-' || n, n, now(),
        'default-1', 'default-1', 'default-1' from generate_series($from, $to) n`,
  ],
  [
    'settlements',
    `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, lease_until, created_at, ended_at)
      select ${PARTNER}, ${id('rec', 'n')}, ${id('stl', 'n')}, 'key-' || n, 'csv', 'done', now(), now(), now() from generate_series($from, $to) n`,
  ],
  [
    'settlements',
    `insert into settlement_acknowledgement (partner_id, settlement_id, status, idempotency_key, fingerprint, acknowledged_at)
      select ${PARTNER}, ${id('stl', 'n')}, case when n % 20 = 7 then 'disputed' else 'accepted' end, 'key-' || n, sha256(n::text::bytea), now()
      from generate_series($from, $to) n`,
  ],
  [
    'adjustments',
    `insert into failure_draft (partner_id, failure_id, partner_event_id, partner_order_ref, points, reason, status, drafted_by, drafted_at)
      select ${PARTNER}, ${id('fail', 'n')}, 'never-' || n, 'order-' || n, 1, 'x', 'drafted', 'opr_x', now() from generate_series($from, $to) n`,
  ],
  [
    'settlements',
    `insert into reconciliation_line (partner_id, reconciliation_id, position, verdict, line_type)
      select ${partner(7)}, ${id('rec', '15007')}, n, 'matched', 'contribution' from generate_series($from, $to) n`,
  ],
  [
    'endpoints',
    `insert into webhook_endpoint (partner_id, endpoint_id, url, status, created_at, changed_at, secret_sealed)
      select ${PARTNER}, ${id('wep', 'n')}, 'https://receiver.invalid/' || n, case when n % 100 = 1 then 'disabled' else 'active' end, now(), now(), 'x'
      from generate_series($from, $to) n`,
  ],
  [
    'endpoints',
    `insert into endpoint_health (partner_id, endpoint_id, failures_in_row, failing_since)
      select ${PARTNER}, ${id('wep', 'n')}, case when n % 50 = 0 then 3 else 0 end, case when n % 50 = 0 then now() - n * interval '1 second' end
      from generate_series($from, $to) n`,
  ],
  [
    'deliveries',
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left, next_attempt_at, created_at)
      select ${partner(7)}, ${id('dlv', 'n')} || '.x', ${id('wep', '7')}, ${id('evt', 'n')}, n, 'impact.transaction.confirmed', 'event', 'waiting', 10, now(), now()
      from generate_series($from, $to) n`,
  ],
  [
    'deliveries',
    `insert into event (partner_id, sequence, event_id, event_type, subject_id, occurred_at)
      select ${partner(7)}, n, ${id('evt', 'n')}, 'impact.transaction.confirmed', ${id('txn', '(n % 100 * $1 + 7)')}, now()
      from generate_series($from, $to) n`,
  ],
  [
    'endpoints',
    `insert into project (project_id, name_en, name_ar, country, created_at)
      values (${id('prj', '7')}, 'Coast', 'الساحل', 'SA', now()) on conflict do nothing`,
  ],
  [
    'endpoints',
    // One in twenty waits for its verification.
    `insert into impact_batch (impact_batch_id, name, quantity, created_at, status_at, status, project_id, delivered_by)
      select ${id('batch', 'n')}, 'batch ' || n, n, now(), now(), case when n % 20 = 0 then 'delivered' else 'recorded' end,
        case when n % 20 = 0 then ${id('prj', '7')} end, case when n % 20 = 0 then 'opr_7' end from generate_series($from, $to) n`,
  ],
  [
    'others',
    `insert into audit_entry (entry_no, recorded_at, operator_id, role, action, partner_id, subject_id, correlation_id, previous_mac, key_id, mac)
      select 1000000 + n, now() - ($2 - n) * interval '1 second', 'opr_' || n % 50, 'admin', 'action.' || n % 30, ${PARTNER}, 'subject_' || n, 'x', 'x', 'x', 'x'
      from generate_series($from, $to) n`,
  ],
  [
    'others',
    `insert into job_run (job_name, run_no, trigger, started_at, ended_at, outcome)
      select 'job ' || n % 20, n, 'schedule', now() - n * interval '1 second', now(), 'succeeded' from generate_series($from, $to) n`,
  ],
];

/** Commits are not synchronous: after a crash the database is filled again. */
export async function fillLists(pool: pg.Pool, counts: ListCounts, report: (sentence: string) => void = () => {}): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set synchronous_commit = off');
    for (const [counted, text] of INSERTS) await insert(client, text, { ...counts, count: counts[counted] }, report);
    await client.query('reset synchronous_commit');
  } finally {
    client.release();
  }
}

async function insert(
  client: pg.PoolClient,
  text: string,
  { partners, reviews, contributions, count }: ListCounts & { readonly count: number },
  report: (sentence: string) => void,
): Promise<void> {
  const [, table = ''] = /^insert into (\w+)/.exec(text) ?? [];
  const numbers = [partners, count, reviews, contributions];
  const stated = numbers.reduce((sql, number, index) => sql.replaceAll(`$${index + 1}`, `${number}`), text);
  for (let from = 1; from <= count; from += CHUNK_ROWS) {
    const to = Math.min(from + CHUNK_ROWS - 1, count);
    await client.query(stated.replaceAll('$from', `${from}`).replaceAll('$to', `${to}`));
    report(`${to.toLocaleString('en')} of ${count.toLocaleString('en')} rows of ${table}`);
  }
}
