/** A superuser's evening: every column of every table that prices, permits or authorises, edited by SQL, is named by `verify` (settlements, section 5). */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import { changeSettlementPolicy } from '../../src/operations/access/manage-partner.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { draftFailure } from '../../src/operations/contributions/record-failure.ts';
import { doubtsUnderAudit, pricesUnderRules } from '../../src/operations/rules/rule-prices.ts';
import { verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import { verifyJob } from '../../src/schedule/jobs/verify.ts';
import { enrol, enrolled, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { ADA, advanceTo, BEA, newBatch } from '../support/environment.ts';
import { insertContributionRule, insertPrice } from '../support/rules.ts';
import { testService } from '../support/service.ts';
import { closeNow, closeRegularly } from '../support/settlements.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const { pool } = database;
const keys = openSealKeys(database.auditKeys);
/** Whoever may do everything in the database, and is stopped by no trigger. */
const superuser = new pg.Client({ connectionString: service.databaseUrl });
await superuser.connect();
await superuser.query("set session_replication_role = 'replica'");
after(() => superuser.end());
const real = { ...keys, pricesOf: pricesUnderRules, doubtsOf: doubtsUnderAudit };

/** Columns on which nothing rests, each with the reason; every other column of these tables is sealed. */
const SEALED: Record<string, Record<string, string>> = {
  partner: {},
  api_key: { last_used_at: 'shown only' },
  operator: { email_canonical: 'follows from the address, and keeps two from taking one' },
  operator_credential: {
    last_used_at: 'shown only',
    attempts: 'bounds how often a password can be guessed, and signs nobody in',
    attempted_at: 'as attempts',
    counter: 'refuses a copy of a passkey that was used less often; its signature is asked for all the same',
    last_step: 'refuses a code of the second factor a second time; it is asked for beside the password',
  },
  webhook_endpoint: { changed_at: 'shown only' },
  rule_version: {},
  failure_draft: {},
  adjustment: {},
  contribution: {},
  settlement: {},
  settlement_line: {},
  settlement_line_proof: {},
  settlement_acknowledgement: { idempotency_key: 'of the request', fingerprint: 'of the request' },
  project: {},
  impact_batch: {},
  impact_batch_change: {},
  impact_evidence: {},
  impact_batch_settlement: { added_at: 'shown only' },
  audit_entry: {},
  audit_head: {},
};

/** Tables that price, permit and authorise nothing by themselves. */
const OTHERS: Record<string, string> = {
  contribution_review: 'whoever decides is in the audit, and the contribution is sealed',
  daily_count: 'counts for caps; the contributions themselves are sealed',
  daily_usage: 'counts for quotas of what is stored',
  day_total: 'figures of the overview, added up from events; a month is closed by its contributions',
  day_total_place: 'as day_total',
  delivery: 'what is sent follows from events',
  delivery_attempt: 'a log',
  emissions_link: 'estimates are educational; that a contribution has one is under its seal',
  endpoint_health: 'how attempts fare',
  delivery_hand_over: 'which deliveries a process has claimed',
  endpoint_watch: 'which endpoints may have deliveries that are due',
  estimate: 'educational',
  event: 'follows from records; whoever changes one changes no record',
  event_counter: 'numbers of events',
  event_outbox: 'as event',
  installation: 'the service refuses another environment; break-glass is audited',
  job: 'when work is due',
  job_run: 'a log',
  keyed_answer: 'what was answered to a request; what it changed is in the audit',
  kysely_migration: 'which migrations were applied',
  partner_quota: 'bounds what is stored in a day, and no points',
  reconciliation: "a partner's own list",
  reconciliation_line: 'as reconciliation',
  rule_revision: 'a hint to read the rules again',
  sample_data: 'as sandbox_clock',
  sandbox_clock: 'of a sandbox, where no points are real',
  sandbox_due: 'as sandbox_clock; how a review ends is in the audit',
  sandbox_evidence: 'as sandbox_clock',
  sandbox_rehearsal: 'as sandbox_clock',
  settlement_candidate: 'what has no event; each contribution is looked for by the audit of its own',
};

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** SQL for another value than the one that is there, also where there is none. */
function otherValue({ name, type }: Column): string {
  switch (type) {
    case 'boolean':
      return `not coalesce(${name}, false)`;
    case 'bytea':
      return `sha256(coalesce(${name}, ''))`;
    case 'ARRAY':
      return `array_append(${name}, 'x')`;
    case 'text':
      return `coalesce(${name}, '') || 'x'`;
    case 'timestamp with time zone':
      return `coalesce(${name} + interval '1 second', now())`;
    default:
      return `coalesce(${name}, 0) - 1000`;
  }
}

async function listColumns(): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select table_name::text as table, column_name::text as name, data_type::text as type from information_schema.columns
      where table_schema = 'public' order by table_name, ordinal_position`,
  );
  return rows;
}

/** Whatever a superuser has against constraints of values is dropped first; keys stay. */
async function dropChecks(): Promise<void> {
  const { rows } = await pool.query(
    `select conrelid::regclass::text as "table", conname as name from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace`,
  );
  for (const { table, name } of rows) await pool.query(`alter table ${table} drop constraint ${name}`);
}

/** A row on which the column bears: of a settlement the closed one, of rules that of the kind. */
function rowWith({ table, name }: Column): string {
  if (table === 'settlement') return "status = 'closed'";
  if (table !== 'rule_version') return 'true';
  const kinds = { point_value: 'point_conversion', currency: 'point_conversion', tree_cost: 'tree_cost' } as Record<
    string,
    string
  >;
  return `kind = '${kinds[name] ?? 'contribution_rule'}'`;
}

/** SQL for what names a row for good: the service writes to some rows meanwhile, and then they lie elsewhere. */
async function keyOf(table: string): Promise<string> {
  const { rows } = await pool.query<{ key: string | null }>(
    `select string_agg(attname, ', ') as key from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
      where indrelid = $1::regclass and indisprimary`,
    [table],
  );
  return `row(${rows[0]?.key ?? 'ctid'})::text`;
}

/** Edits one column of the first row while it works, and puts the row back. @returns What the row says, before and after. */
async function whileEdited(column: Column, work: (texts: readonly string[]) => Promise<void>): Promise<void> {
  const { table, name } = column;
  const key = await keyOf(table);
  const first = `ctid = (select min(ctid) from ${table} where ${rowWith(column)})`;
  const before = (await superuser.query(`select *, ${key} as key, ${name} as kept from ${table} where ${first}`)).rows[0];
  assert.ok(before, `${table} has no row`);
  const edit = `update ${table} set ${name} = ${otherValue(column)} where ${key} = $1 returning *, ${key} as key`;
  const after = (await superuser.query(edit, [before.key])).rows[0];
  const texts = [before, after].flatMap((row) => [...Object.values(row), String(row.entry_no ?? '')]);
  try {
    await work(texts.filter((text) => (typeof text === 'string' && text.length > 5) || table.startsWith('audit')) as string[]);
  } finally {
    const restored = await superuser.query(`update ${table} set ${name} = $1 where ${key} = $2`, [before.kept, after.key]);
    assert.equal(restored.rowCount, 1, `${table}.${name} stays edited`);
  }
}

async function listProblems(): Promise<string[]> {
  const parts = await Array.fromAsync(verifyEverything(database, keys));
  return parts.flatMap(({ problems }) => problems.map(({ record, problem }) => `${record}: ${problem}`));
}

/** Every table has a row; of contributions and adjustments one that is not settled yet. */
async function fill() {
  const [ada, bea, admin] = await enrolled(database, 'operator', 'approver', 'admin');
  const { partner, client, receiver } = await newEndpoint(service, endpointTools(database));
  const { partnerId } = partner;
  receiver.answerWith(200);
  await changeSettlementPolicy(database, OWNER, partnerId, { currency: 'SAR' });
  await insertContributionRule(database, { partnerId, points_min: 2 });
  await insertPrice(database, 'point_conversion', { partnerId, label: uniqueId('value'), starts: '-1 day', price: '0.05' });
  await insertPrice(database, 'tree_cost', { partnerId, label: uniqueId('cost'), starts: '-1 day', price: '5' });
  await createOperator(database, admin, { name: 'Dana', email: null, role: 'viewer' });
  const { transaction_id: transactionId } = (await client.confirm({ points: 250 })).body.contribution;
  const why = {
    reasonCode: 'operator_error',
    reasonEn: 'Twice.',
    reasonAr: 'مرتين.',
    pointsDelta: -100n,
    amountDelta: null,
    reversalOf: null,
  };
  const drafted = await draftAdjustment(database, ada, { partnerId, transactionId, ...why }, real);
  await postAdjustment(database, ada, await approveAdjustment(database, bea, drafted, real), real);
  const event = { partnerId, partnerEventId: uniqueId('event'), partnerOrderRef: uniqueId('order'), points: 5n };
  await draftFailure(database, ada, { ...event, reason: 'never stored' });
  return { partnerId, client };
}

test('every table of the schema is classified', async () => {
  const tables = new Set((await listColumns()).map(({ table }) => table));
  assert.deepEqual([...tables].sort(), [...Object.keys(SEALED), ...Object.keys(OTHERS)].sort());
});

describe('an evening', HANG_LIMIT, () => {
  const unnamed: string[] = [];
  let filled: Awaited<ReturnType<typeof fill>>;
  let columns: Column[];
  const look = async (column: Column, alsoCloses: boolean) =>
    whileEdited(column, async (texts) => {
      const problems = await listProblems();
      const isNamed = problems.some(
        (problem) => texts.some((text) => problem.includes(text)) || problem.includes('one was removed'),
      );
      if (!isNamed) unnamed.push(`${column.table}.${column.name}: ${JSON.stringify(problems)}`);
      if (!alsoCloses) return;
      await closeRegularly(database, filled.partnerId, real).then(
        () => unnamed.push(`${column.table}.${column.name}: closed`),
        () => {},
      );
    });

  test('before a closing: verify names the row, and nothing is closed over it', HANG_LIMIT, async () => {
    filled = await fill();
    await dropChecks();
    columns = (await listColumns()).filter(({ table, name }) => SEALED[table] && SEALED[table][name] === undefined);
    assert.deepEqual(await listProblems(), []);
    for (const column of columns.filter(({ table }) => ['contribution', 'adjustment', 'partner'].includes(table)))
      await look(column, true);
    assert.deepEqual(unnamed, []);
  });

  test('after it: verify names the row', HANG_LIMIT, async () => {
    const { partnerId, client } = filled;
    const { closed } = await closeNow(database, partnerId, real);
    const path = `/v1/settlements/${closed.settlementId}/acknowledgement`;
    assert.equal((await client.post(path, { status: 'accepted', reference: 'payment-1' })).status, 201);
    const batch = await newBatch(database, [{ partnerId, closed: [closed] }]);
    await enrol(database, ADA, BEA);
    await advanceTo(database, batch, 'verified');
    assert.deepEqual(await listProblems(), []);
    for (const column of columns) await look(column, false);
    assert.deepEqual(unnamed, []);
    assert.deepEqual(await listProblems(), []);
  });

  test('the daily run tells what differs as an error, and the last seal of the audit', async () => {
    const alerts: string[] = [];
    const context = {
      database,
      actor: OWNER,
      signal: new AbortController().signal,
      alert: (sentence: string) => void alerts.push(sentence),
    };
    const sound = await verifyJob(keys).run(context);
    assert.deepEqual([sound['differences'], alerts], [0, []]);
    assert.match(String(sound['audit_last']), /^\d+:[0-9a-f]{64}$/);
    await whileEdited({ table: 'api_key', name: 'permission', type: 'text' }, async () => {
      assert.equal((await verifyJob(keys).run(context))['differences'], 1);
    });
    assert.match(alerts.join('\n'), /modified record: api_key \w+: permission differs from the audit/);
  });
});
