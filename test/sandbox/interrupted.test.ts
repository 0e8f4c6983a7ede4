/** A process that dies in the middle of what a partner of a sandbox asked for: the same key ends the work, and does nothing twice. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, uniqueId } from '../support/client.ts';
import { type ServiceProcess, type TestPartner, testServiceProcesses } from '../support/service.ts';

const service = await testServiceProcesses(2);
const { database } = service;
const [victim, other] = service.processes as [ServiceProcess, ServiceProcess];

/** What is asked for, where the process dies, and what must be there once in the end. */
interface Play {
  /** The table whose next change of the partner is held while the process dies, and the status that it changes to. */
  readonly dies: readonly [table: 'keyed_answer' | 'adjustment' | 'impact_batch', status?: string];
  /** An operator suspends the partner before the key is used again. */
  readonly isSuspended?: boolean;
  /** @returns The path below `/v1/sandbox/`, and the body. */
  prepare(client: Client): Promise<readonly [path: string, body?: object]>;
  check(made: Made): Promise<void>;
}

interface Made {
  readonly client: Client;
  readonly answer: Answer;
  /** How many rows a query of the partner finds. */
  count(sql: string): Promise<number>;
}

/** Those that have their sequence, and those that wait for it. */
const EVENTS = '(select partner_id, event_type from event union all select partner_id, event_type from event_outbox) e';

const close = async (client: Client) =>
  (await client.call('/v1/sandbox/settlements/close', { method: 'POST', headers: { 'idempotency-key': uniqueId('key') } })).body
    .settlement.settlement_id;

const confirmed = async (client: Client) => (await client.confirm({ points: 250 })).body.contribution.transaction_id;

const CLOSE: Omit<Play, 'dies'> = {
  prepare: async (client) => (await confirmed(client)) && ['settlements/close'],
  async check({ client, answer, count }) {
    assert.deepEqual([answer.body.settlement.status, answer.body.settlement.contribution_count], ['closed', 1n]);
    const { settlements } = (await client.call('/v1/settlements')).body;
    assert.deepEqual(
      settlements.map(({ status }: { status: string }) => status),
      ['open', 'closed'],
    );
    assert.equal(await count(`from ${EVENTS} where partner_id = $1 and event_type = 'settlement.closed'`), 1);
  },
};

const ADJUST: Omit<Play, 'dies'> = {
  prepare: async (client) => [
    'adjustments',
    { transaction_id: await confirmed(client), points_delta: -100, reason_code: 'operator_error' },
  ],
  async check({ answer, count }) {
    assert.equal(answer.body.adjustment.settled_points_after, 150n);
    assert.equal(await count('from adjustment where partner_id = $1'), 1);
    assert.equal(await count(`from ${EVENTS} where partner_id = $1 and event_type = 'impact.transaction.adjusted'`), 1);
  },
};

const FAIL: Omit<Play, 'dies'> = {
  prepare: async () => ['failures', { partner_event_id: uniqueId('event'), partner_order_ref: uniqueId('order'), points: 250 }],
  async check({ answer, count }) {
    assert.equal(answer.body.contribution.status, 'failed');
    assert.equal(await count(`from ${EVENTS} where partner_id = $1 and event_type = 'impact.transaction.adjusted'`), 1);
  },
};

const POOL: Omit<Play, 'dies'> = {
  async prepare(client) {
    await confirmed(client);
    return ['impact-batches', { settlement_ids: [await close(client)], quantity: 3, status: 'verified' }];
  },
  async check({ answer, count }) {
    assert.equal(answer.body.impact_batch.status, 'verified');
    assert.equal(await count("from impact_batch where name = 'Sandbox of ' || $1"), 1);
    assert.equal(await count(`from ${EVENTS} where partner_id = $1 and event_type = 'environmental.status.updated'`), 7);
  },
};

const PLAYS: Readonly<Record<string, Play>> = {
  'closes, and dies before the answer is kept': { ...CLOSE, dies: ['keyed_answer'] },
  'adjusts, and dies before the answer is kept': { ...ADJUST, dies: ['keyed_answer'] },
  'adjusts, and dies after the draft': { ...ADJUST, dies: ['adjustment', 'approved'] },
  'adjusts, and dies after the approval': { ...ADJUST, dies: ['adjustment', 'posted'] },
  'closes, dies before the answer is kept, and the partner is suspended': { ...CLOSE, dies: ['keyed_answer'], isSuspended: true },
  'adjusts, dies before the answer is kept, and the partner is suspended': {
    ...ADJUST,
    dies: ['keyed_answer'],
    isSuspended: true,
  },
  'fails an event, dies before the answer is kept, and the partner is suspended': {
    ...FAIL,
    dies: ['keyed_answer'],
    isSuspended: true,
  },
  'pools, and dies before the answer is kept': { ...POOL, dies: ['keyed_answer'] },
  'pools, and dies while the batch advances': { ...POOL, dies: ['impact_batch', 'in_progress'] },
  'ends a pending contribution, and dies before the answer is kept': {
    dies: ['keyed_answer'],
    async prepare(client) {
      const headers = { 'idempotency-key': uniqueId('key'), 'x-sandbox-scenario': 'pending' };
      const { transaction_id } = (await client.confirm({}, headers)).body.contribution;
      return [`impact-transactions/${transaction_id}/resolve`, { status: 'confirmed' }];
    },
    async check({ answer, count }) {
      assert.equal(answer.body.contribution.status, 'confirmed');
      assert.equal(await count(`from ${EVENTS} where partner_id = $1 and event_type = 'impact.transaction.confirmed'`), 1);
    },
  },
};

const LOCK = 20_811;
const HOLD = `
  create table held (partner_id text, place text, status text);
  create function hold() returns trigger language plpgsql as $$ begin
    if exists (select from held where place = tg_table_name
        and partner_id = coalesce(to_jsonb(new) ->> 'partner_id', replace(to_jsonb(new) ->> 'name', 'Sandbox of ', ''))
        and (status is null or status = to_jsonb(new) ->> 'status') and (to_jsonb(new) -> 'answer') is distinct from 'null') then
      perform pg_advisory_xact_lock(${LOCK});
    end if;
    return new;
  end $$;
  ${['keyed_answer', 'adjustment', 'impact_batch'].map((table) => `create trigger hold before update on ${table} for each row execute function hold();`).join('\n')}`;

const WAITING = "from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";

interface Prepared {
  readonly play: Play;
  readonly partner: TestPartner;
  readonly client: Client;
  /** Sends the same request each time. */
  ask(of: Client): Promise<Answer>;
}

async function prepare(play: Play): Promise<Prepared> {
  const partner = await service.newPartner();
  const client = new Client(other.baseUrl, partner.key.apiKey);
  const [path, body] = await play.prepare(client);
  const headers = { 'idempotency-key': uniqueId('key') };
  const ask = (of: Client) => of.call(`/v1/sandbox/${path}`, { method: 'POST', headers, ...(body && { body }) });
  return { play, partner, client, ask };
}

describe('the same key', HANG_LIMIT, async () => {
  const names = Object.keys(PLAYS);
  let prepared: readonly Prepared[] = [];

  test('the process dies in the middle of all of them', async (t) => {
    await database.pool.query(HOLD);
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    t.after(() => holder.end());
    await holder.query(`select pg_advisory_lock(${LOCK})`);
    prepared = await Promise.all(Object.values(PLAYS).map(prepare));
    await database.pool.query('insert into held select * from unnest($1::text[], $2::text[], $3::text[])', [
      prepared.map(({ partner }) => partner.partner.partnerId),
      prepared.map(({ play }) => play.dies[0]),
      prepared.map(({ play }) => play.dies[1] ?? null),
    ]);
    // All at once: the service ends its own work after 5 s, held or not.
    const lost = prepared.map(({ partner, ask }) => assert.rejects(ask(new Client(victim.baseUrl, partner.key.apiKey))));
    await waitFor('session of each request that waits', async () => {
      const { rowCount } = await database.pool.query(`select ${WAITING}`);
      return rowCount === names.length;
    });
    await victim.end('SIGKILL');
    await Promise.all(lost);
    // A session that its own time-out ends meanwhile is a warning, which the pool throws.
    await holder.query(`select pg_terminate_backend(pid) ${WAITING}`);
    await database.pool.query('delete from held');
    const { rowCount } = await database.pool.query(
      "update keyed_answer set claimed_at = claimed_at - interval '61 seconds' where answer is null",
    );
    assert.equal(rowCount, names.length);
  });

  for (const [index, name] of names.entries())
    test(`${name}: another process ends the work, once`, async () => {
      const { play, partner, client, ask } = prepared[index] as Prepared;
      if (play.isSuspended) {
        await suspendPartner(database, OWNER, partner.partner.partnerId);
        await waitFor('a refusal of new records', async () => (await client.confirm()).body.error?.code === 'partner_suspended');
      }
      const again = () => ask(client);
      const [answer, ...others] = await Promise.all([again(), again(), again()]);
      assert.deepEqual(
        [answer, ...others].map(({ status }) => status),
        [201, 201, 201],
        JSON.stringify(answer.body.error),
      );
      const count = async (sql: string) =>
        (await database.pool.query(`select ${sql}`, [partner.partner.partnerId])).rowCount as number;
      await play.check({ client, answer, count });
      const replayed = await again();
      assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual({ ...replayed.body, request: undefined }, { ...answer.body, request: undefined });
    });

  test('the books are right', async () => {
    const parts = await Array.fromAsync(verifyEverything(database, openSealKeys(database.auditKeys)));
    assert.deepEqual(
      parts.flatMap(({ problems }) => problems),
      [],
    );
  });
});
