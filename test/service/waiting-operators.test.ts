/** More requests of operators at once than there are connections for them. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type OperatorAnswer, signedInOperator } from '../support/operator-client.ts';
import { spawnService, testService } from '../support/service.ts';

/** Longer than a request waits for a connection of the pool, and shorter than a statement waits for a lock. */
const HELD_MS = { least: 3_300, most: 4_400 };

const service = await testService();
const { pool } = service.database;
const ask = (path: string, port = service.operationsPort) =>
  fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.text());

async function countWaiting(): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int4 as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].n;
}

/** Whatever reads the table waits until `work` is done: by default every request of an operator. */
async function whileHeld<Done>(work: () => Promise<Done>, table = 'operator_credential'): Promise<Done> {
  const holder = new pg.Client(String(pool.options.connectionString));
  await holder.connect();
  await holder.query(`set idle_in_transaction_session_timeout = 0; begin; lock table ${table} in access exclusive mode`);
  try {
    return await work();
  } finally {
    await holder.end();
  }
}

/**
 * What is answered to requests that waited for the table. Where the machine stood still they waited longer than a statement may, which says
 * nothing: they are sent again.
 */
async function answersAfterWait(send: () => Promise<Promise<OperatorAnswer>[]>, table?: string): Promise<OperatorAnswer[]> {
  for (;;) {
    let sinceMs = 0;
    const sent = await whileHeld(() => {
      sinceMs = performance.now();
      return send();
    }, table);
    const heldMs = performance.now() - sinceMs;
    const answers = await Promise.all(sent);
    if (heldMs < HELD_MS.most) return answers;
  }
}

const waitForWaiting = () => waitFor('requests that wait for the table', async () => (await countWaiting()) > 0);

test('all are answered, and the probes wait for none of them', HANG_LIMIT, async () => {
  const operator = await signedInOperator(service, 'operator');
  const answers = await answersAfterWait(async () => {
    const held = sleep(HELD_MS.least);
    const sent = Array.from({ length: 30 }, () => operator.get('/operator/v1/partners'));
    await waitForWaiting();
    // Before the table is free again.
    assert.equal(await ask('/livez'), 'alive\n');
    assert.match(await ask('/readyz'), /^ready/);
    await held;
    return sent;
  });
  assert.deepEqual(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  );
});

test('statements that many download leave connections to other requests', HANG_LIMIT, async () => {
  const operator = await signedInOperator(service, 'operator');
  const answers = await answersAfterWait(async () => {
    const downloads = Array.from({ length: 10 }, (_, each) =>
      operator.get(`/operator/v1/partners/nobody/settlements/set_${each}/statement.csv`),
    );
    await waitForWaiting();
    assert.equal((await operator.get('/operator/v1/partners')).status, 200);
    assert.ok((await countWaiting()) <= 2);
    return downloads;
  }, 'settlement');
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]));
});

/** Many requests at once on one connection: the listener keeps few connections. Resolves with all that was answered. */
async function pipelined(port: number, count: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(head.repeat(count));
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk;
    if (text.split('HTTP/1.1 ').length > count && text.endsWith('}')) break;
  }
  return text;
}

for (const processes of [1, 2]) {
  test(`what waits in vain is told to try again, counted and logged, with --processes ${processes}`, async () => {
    const operationsPort = await freePort();
    const env = { OPERATIONS_PORT: `${operationsPort}`, LOG_LEVEL: 'info' };
    const serving = await spawnService(service.databaseUrl, env, ['--processes', `${processes}`]);
    const operator = await signedInOperator({ ...service, operationsPort }, 'admin');
    const head = `GET /operator/v1/partners HTTP/1.1\r\nHost: localhost\r\nCookie: ${operator.cookie}\r\n\r\n`;
    const [changes, reads] = await whileHeld(async () => {
      const changes = Array.from({ length: 12 }, () => operator.post('/operator/v1/partners', {}));
      await waitForWaiting();
      const reads = pipelined(operationsPort, 300, head);
      await Promise.race(changes);
      return [Promise.all(changes), reads];
    });
    const said = [...(await changes).map(({ text }) => text), ...(await reads).split('HTTP/1.1 ')];
    const refusedFor = (message: RegExp) => said.filter((text) => message.test(text)).length;
    const refused = {
      turn: refusedFor(/"internal_service_unavailable".*"Too many requests of operators wait\. Try again in a few seconds\./),
      connection: refusedFor(
        /"internal_service_unavailable".*"Too many requests of operators are in progress\. Check whether your change was made, then try again/,
      ),
    };
    assert.ok(refused.turn >= 40 && refused.connection > 0, said.join('\n'));
    const metrics = await ask('/metrics', operationsPort);
    for (const [of, count] of Object.entries(refused)) {
      assert.match(serving.output(), new RegExp(`requests of operators waited in vain for a ${of} and were answered with 503`));
      assert.ok(metrics.includes(`partner_impact_operator_requests_refused_total{waited_for="${of}"} ${count}\n`), metrics);
    }
  });
}
