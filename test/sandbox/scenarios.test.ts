/** Scenarios of the sandbox by header and by prefix: decisions, section 8. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { SCENARIO_NAMES, SCENARIO_PREFIXES } from '../../src/domain/sandbox/scenarios.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { startServiceProcess } from '../../src/service/start-service.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, countByStatus, detailCodes, newConfirmation, newEstimate, uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { whileConnectionsAreHeld } from '../support/postgres/while-connections-are-held.ts';
import { document } from '../support/published.ts';
import { countRows } from '../support/records.ts';
import { OPEN_RATES, testService, testServiceProcesses } from '../support/service.ts';

const service = await testService({ roles: ['api', 'webhooks', 'schedule'] });
const { database } = service;
const { client, partner } = await service.newPartner();
const { partnerId } = partner;

const newKey = () => ({ 'idempotency-key': uniqueId('key') });
const asking = (scenario: string, headers: Record<string, string> = newKey()) => ({ ...headers, 'x-sandbox-scenario': scenario });
const referring = (prefix: string) => ({ ...newConfirmation(), partner_order_ref: uniqueId(prefix) });

/** @returns The contribution that has the status. */
async function untilStatus(transactionId: string, status: string): Promise<Answer> {
  return waitFor(`contribution that is ${status}`, async () => {
    const found = await client.get(transactionId);
    return found.body.contribution.status === status && found;
  });
}

const dropped = (call: Promise<Answer>) => assert.rejects(call, { name: 'TypeError', message: 'fetch failed' });
describe('a refusal on request', () => {
  for (const [scenario, status, code] of [
    ['rate_limited', 429, 'rate_limited'],
    ['service_unavailable', 503, 'internal_service_unavailable'],
  ] as const)
    test(`${scenario}: ${status} with Retry-After and the verdict, as often as it is asked for; the key stays free`, async () => {
      const key = newKey();
      const confirmation = newConfirmation();
      const before = await countRows(database, partnerId);
      for (let again = 0; again < 3; again++) {
        const answer = await client.confirm(confirmation, asking(scenario, key));
        assert.deepEqual([answer.status, answer.body.error.code, answer.body.error.retryable], [status, code, true]);
        assert.equal(answer.headers.get('retry-after'), '1');
        assert.equal(answer.headers.get('x-sandbox-scenario'), scenario);
        assert.ok('X-Sandbox-Scenario' in document.paths['/v1/impact-transactions'].post.responses[status].headers);
        assert.equal(detailCodes(answer)['point_restoration'], 'not_authorized');
      }
      assert.equal((await client.findByEvent(confirmation.partner_event_id)).status, 404);
      assert.deepEqual(await countRows(database, partnerId), before);
      const answer = await client.confirm(confirmation, key);
      assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [201, null]);
      assert.equal(answer.headers.get('x-sandbox-scenario'), null);
    });

  test(
    'service_unavailable;times=2: of twenty at once exactly two are refused, whichever process takes them',
    HANG_LIMIT,
    async () => {
      const { processes, newPartner } = await testServiceProcesses(2);
      const { client: other } = await newPartner();
      const clients = processes.map(({ baseUrl }) => Object.assign(Object.create(other) as Client, { baseUrl }));
      const confirmation = newConfirmation();
      const headers = asking('service_unavailable;times=2');
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (clients[index % 2] as Client).confirm(confirmation, headers)),
      );
      assert.deepEqual(countByStatus(answers), { 201: 18, 503: 2 });
      assert.equal(answers.filter(({ status, headers }) => status === 201 && !headers.get('idempotent-replayed')).length, 1);
    },
  );

  test('SIM-503-TWICE-: the third request with the key is taken, an estimate’s too', async () => {
    const key = newKey();
    const confirmation = referring('SIM-503-TWICE-');
    const statuses = [];
    for (let again = 0; again < 4; again++) statuses.push((await client.confirm(confirmation, key)).status);
    assert.deepEqual(statuses, [503, 503, 201, 201]);
    const estimate = { ...newEstimate(), partner_order_ref: confirmation.partner_order_ref };
    assert.deepEqual((await client.estimate(estimate, key)).status, 503);
  });

  test('SIM-429-: who comes back before Retry-After is over is refused again; who waits is taken', async () => {
    const key = newKey();
    const confirmation = referring('SIM-429-');
    // Time enters as data: a second may be over before the next request of a busy machine.
    const moveRefusal = (by: string) =>
      database.pool.query(
        'update sandbox_rehearsal set last_at = last_at + $3::interval where partner_id = $1 and idempotency_key = $2',
        [partnerId, key['idempotency-key'], by],
      );
    assert.equal((await client.confirm(confirmation, key)).status, 429);
    await moveRefusal('5 minutes');
    assert.equal((await client.confirm(confirmation, key)).status, 429);
    await moveRefusal('-5 minutes -1 second');
    assert.equal((await client.confirm(confirmation, key)).status, 201);
  });

  test('timeout_before_commit: the connection breaks, nothing is stored, and the retry is taken', async () => {
    const key = newKey();
    const confirmation = newConfirmation();
    await dropped(client.confirm(confirmation, asking('timeout_before_commit', key)));
    await dropped(client.confirm(confirmation, asking('timeout_before_commit', key)));
    assert.equal((await client.findByEvent(confirmation.partner_event_id)).status, 404);
    assert.equal((await client.confirm(confirmation, key)).status, 201);
    const referred = referring('SIM-TIMEOUT-BEFORE-COMMIT-');
    const other = newKey();
    await dropped(client.confirm(referred, other));
    assert.equal((await client.confirm(referred, other)).status, 201);
  });
});

describe('timeout_after_commit', () => {
  for (const [how, fields, scenario] of [
    ['by header', {}, { 'x-sandbox-scenario': 'timeout_after_commit' }],
    ['by prefix', { partner_order_ref: uniqueId('SIM-TIMEOUT-AFTER-COMMIT-') }, {}],
  ] as const)
    test(`${how}: it is recorded once, the look-up finds it, and a replay is answered`, async () => {
      const headers = { ...newKey(), ...scenario };
      const confirmation = { ...newConfirmation(), ...fields };
      await dropped(client.confirm(confirmation, headers));
      const found = await client.findByEvent(confirmation.partner_event_id);
      assert.deepEqual([found.status, found.body.contribution.status], [200, 'confirmed']);
      const replay = await client.confirm(confirmation, headers);
      assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true']);
      assert.equal(replay.body.contribution.transaction_id, found.body.contribution.transaction_id);
      const { rows } = await database.pool.query(
        'select subject_id from sandbox_rehearsal where partner_id = $1 and idempotency_key = $2',
        [partnerId, headers['idempotency-key']],
      );
      assert.deepEqual(rows, [{ subject_id: found.body.contribution.transaction_id }]);
    });

  test('of an estimate: the same key gives it', async () => {
    const headers = asking('timeout_after_commit');
    const estimate = newEstimate();
    await dropped(client.estimate(estimate, headers));
    const replay = await client.estimate(estimate, headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true']);
  });
});

describe('pending and failed', () => {
  test('pending: 202, and it waits; its order is held', async () => {
    for (const answer of [
      await client.confirm({}, asking('pending')),
      await client.confirm(referring('SIM-PENDING-'), newKey()),
    ]) {
      const { status, non_refundable, partner_order_ref } = answer.body.contribution;
      assert.deepEqual([answer.status, status, non_refundable], [202, 'pending', true]);
      assertError(await client.confirm({ partner_order_ref }), 'contribution_pending');
    }
  });

  test('pending_then_confirmed;after=1s: 202, then confirmed with its event and its estimate', HANG_LIMIT, async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const key = newKey();
    const confirmation = { ...newConfirmation(), calculation_id, partner_order_ref };
    const answer = await client.confirm(confirmation, asking('pending_then_confirmed;after=1s', key));
    assert.deepEqual([answer.status, answer.body.association.rejection.code], [202, 'contribution_pending']);
    const found = await untilStatus(answer.body.contribution.transaction_id, 'confirmed');
    assert.equal(found.body.association.status, 'associated');
    assert.equal((await client.confirm(confirmation, key)).status, 201);
  });

  test('pending_then_failed;after=1s: 202, then 422 to each replay', HANG_LIMIT, async () => {
    const key = newKey();
    const confirmation = newConfirmation();
    const answer = await client.confirm(confirmation, asking('pending_then_failed;after=1s', key));
    await untilStatus(answer.body.contribution.transaction_id, 'failed');
    const replay = await client.confirm(confirmation, key);
    assert.deepEqual([replay.status, detailCodes(replay)['point_restoration']], [422, 'authorized']);
    const { rows } = await database.pool.query('select 1 from sandbox_due where partner_id = $1 and due_at < now()', [partnerId]);
    assert.deepEqual(rows, []);
  });

  test('ends that fail, as many as are read at once, stop none of those after them', HANG_LIMIT, async () => {
    const other = await service.newPartner();
    await database.pool.query(`create sequence refused_ends;
      create function refuse_end() returns trigger language plpgsql as
      $$ begin perform nextval('refused_ends'); raise exception 'this end fails'; end $$;
      create trigger refuse_end before update on contribution for each row when (new.partner_id = '${other.partner.partnerId}')
        execute function refuse_end()`);
    after(() => database.pool.query('drop function if exists refuse_end() cascade'));
    const failing = Array.from({ length: 100 }, () =>
      other.client.confirm(newConfirmation(), asking('pending_then_confirmed;after=1s')),
    );
    assert.deepEqual(countByStatus(await Promise.all(failing)), { 202: 100 });
    const answer = await client.confirm(newConfirmation(), asking('pending_then_confirmed;after=1s'));
    await untilStatus(answer.body.contribution.transaction_id, 'confirmed');
    // Those that failed are left alone for a minute.
    const later = await client.confirm(newConfirmation(), asking('pending_then_confirmed;after=1s'));
    await untilStatus(later.body.contribution.transaction_id, 'confirmed');
    const { rows } = await database.pool.query('select last_value from refused_ends');
    assert.deepEqual(rows, [{ last_value: 100n }]);
    await database.pool.query('drop function refuse_end() cascade');
  });

  test('the prefixes of both: 202', async () => {
    for (const prefix of ['SIM-PENDING-THEN-CONFIRMED-', 'SIM-PENDING-THEN-FAILED-'])
      assert.equal((await client.confirm(referring(prefix), newKey())).status, 202);
  });

  test('failed: 422 at once, the one answer that authorises a restoration; the record stays, its order is free', async () => {
    for (const [confirmation, scenario] of [
      [newConfirmation(), { 'x-sandbox-scenario': 'failed' }],
      [referring('SIM-FAILED-'), {}],
    ] as const) {
      const headers = { ...newKey(), ...scenario };
      const answer = await client.confirm(confirmation, headers as Record<string, string>);
      assertError(answer, 'contribution_final_failure');
      assert.equal(detailCodes(answer)['point_restoration'], 'authorized');
      const found = await client.findByEvent(confirmation.partner_event_id);
      assert.deepEqual([found.body.contribution.status, found.body.contribution.non_refundable], ['failed', false]);
      assert.equal(
        (await client.confirm(confirmation, headers as Record<string, string>)).headers.get('idempotent-replayed'),
        'true',
      );
    }
  });
});

describe('the rest', () => {
  test('order_taken: 409 with the contribution that holds the order, which is there to be read', async () => {
    for (const [confirmation, scenario] of [
      [newConfirmation(), { 'x-sandbox-scenario': 'order_taken' }],
      [referring('SIM-ORDER-TAKEN-'), {}],
    ] as const) {
      const headers = { ...newKey(), ...scenario } as Record<string, string>;
      const answer = await client.confirm(confirmation, headers);
      assertError(answer, 'partner_order_conflict');
      assertError(await client.confirm(confirmation, headers), 'partner_order_conflict');
      const holder = await client.get(detailCodes(answer)['transaction_id'] as string);
      assert.equal(holder.body.contribution.partner_order_ref, confirmation.partner_order_ref);
      assert.notEqual(holder.body.contribution.partner_event_id, confirmation.partner_event_id);
      assert.equal((await client.findByEvent(confirmation.partner_event_id)).status, 404);
    }
  });

  test('order_taken on a confirmation that is recorded: its replay', async () => {
    const key = newKey();
    const confirmation = newConfirmation();
    await client.confirm(confirmation, key);
    const replay = await client.confirm(confirmation, asking('order_taken', key));
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true']);
  });

  test('slow;ms=600: the answer comes so long after the contribution is recorded, and a replay at once', async () => {
    const key = newKey();
    const confirmation = newConfirmation();
    const late = await client.confirm(confirmation, asking('slow;ms=600', key));
    const answeredMs = Date.now();
    assert.equal(late.status, 201);
    const { created_at } = late.body.contribution;
    // A timer may be a millisecond early.
    assert.ok(answeredMs - Date.parse(created_at) >= 599, `recorded at ${created_at}, answered ${answeredMs}`);
    const replay = await client.confirm(confirmation, asking('slow;ms=30000', key));
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    assert.ok(Date.now() - answeredMs < 30_000);
  });

  test('slow: more than sixteen at once of one partner are refused, and store nothing', HANG_LIMIT, async () => {
    const [{ client: greedy, partner: limited }, { client: other }] = [await service.newPartner(), await service.newPartner()];
    const answers: Answer[] = [];
    const calls: Promise<unknown>[] = [];
    const confirm = async () => answers.push(await greedy.confirm({}, asking('slow;ms=1')));
    await whileConnectionsAreHeld(database.pool, async () => {
      calls.push(...Array.from({ length: 24 }, confirm));
      await waitFor('answer to those beyond the limit', () => answers.length >= 8);
      calls.push(other.confirm({}, asking('slow;ms=1')).then(({ status }) => assert.equal(status, 201)));
    });
    await Promise.all(calls);
    assert.deepEqual(countByStatus(answers), { 201: 16, 429: 8 });
    assert.equal((await countRows(database, limited.partnerId))['contribution'], 16);
  });

  test('estimate_expired: an estimate that is given and has expired; its link is rejected', async () => {
    const made = await client.estimate({}, asking('estimate_expired'));
    assert.equal(made.status, 201);
    const { calculation_id, partner_order_ref, calculated_at, expires_at } = made.body.estimate;
    assert.equal(Date.parse(expires_at) - Date.parse(calculated_at), 24 * 3_600_000);
    assertError(await client.getEstimate(calculation_id), 'estimate_expired');
    const answer = await client.confirm({ calculation_id, partner_order_ref });
    assert.deepEqual([answer.status, answer.body.association.rejection.code], [201, 'estimate_expired']);
  });

  test('estimate_expired on a confirmation: the estimate that it names has expired, and the contribution is confirmed', async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const answer = await client.confirm({ calculation_id, partner_order_ref }, asking('estimate_expired'));
    assert.deepEqual([answer.status, answer.body.association.rejection.code], [201, 'estimate_expired']);
    assertError(await client.getEstimate(calculation_id), 'estimate_expired');
  });
});

describe('what is asked for', () => {
  test('another scenario is invalid_request: nothing is stored', async () => {
    const before = await countRows(database, partnerId);
    for (const scenario of [
      '',
      'Pending',
      'pending;after=1s',
      'slow;ms=30001',
      'slow;ms=0',
      'failed; drop table',
      'slow,failed',
      'times=2',
      'pending_then_failed;after=73h',
      'service_unavailable;times=101',
    ]) {
      const answer = await client.confirm({}, asking(scenario));
      assertError(answer, 'invalid_request');
      assert.equal(detailCodes(answer)['X-Sandbox-Scenario'], 'unsupported_value');
    }
    assert.equal((await client.estimate({}, asking('pending'))).status, 400);
    assert.deepEqual(await countRows(database, partnerId), before);
  });

  test('another scenario is named with the other problems of the request, headers first', async () => {
    const answer = await client.confirm({ points: 0, partner_event_id: 'short' }, asking('nothing'));
    assertError(answer, 'invalid_request');
    assert.deepEqual(Object.keys(detailCodes(answer)).slice(0, 3), ['X-Sandbox-Scenario', 'partner_event_id', 'points']);
    const ofEstimate = await client.estimate({ distance_km: '0' }, asking('pending'));
    assertError(ofEstimate, 'invalid_request');
    assert.deepEqual(Object.keys(detailCodes(ofEstimate)), ['X-Sandbox-Scenario', 'distance_km']);
  });

  test('a wrong parameter is told with its bounds, a wrong name with the names that the operation has', async () => {
    const told = async (scenario: string) => (await client.confirm({}, asking(scenario))).body.error.message;
    assert.equal(await told('pending;after=1s'), 'X-Sandbox-Scenario: pending takes no parameter.');
    for (const two of ['pending, failed', 'pending failed', 'slow ms=8000'])
      assert.match(await told(two), /: send one of pending, /);
    assert.equal(
      await told('slow;s=5'),
      'X-Sandbox-Scenario: slow takes no parameter but ms, from 1 to 30000, such as slow;ms=8000.',
    );
    assert.match(
      await told('pending_then_failed;after=73h'),
      /takes no parameter but after, in s, m or h, at most 72 h, such as /,
    );
    assert.match(
      await told('rate_limited;times=0'),
      /takes no parameter but times, from 1 to 100, such as rate_limited;times=2\.$/,
    );
    assert.match(
      await told('timeout'),
      /: send one of pending, .*, timeout_after_commit, slow, estimate_expired, order_taken, with/,
    );
    const ofEstimate = (await client.estimate({}, asking('pending'))).body.error.message;
    assert.match(ofEstimate, /: send one of rate_limited, [^;]*estimate_expired, with at most one parameter, such as /);
    assert.doesNotMatch(ofEstimate, /pending/);
  });

  test('another partner’s estimate is not touched', async () => {
    const { client: enemy } = await service.newPartner();
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const answer = await enemy.confirm({ calculation_id, partner_order_ref }, asking('estimate_expired'));
    assert.equal(answer.body.association.rejection.code, 'estimate_not_found');
    assert.equal((await client.getEstimate(calculation_id)).status, 200);
  });

  test('a reference that only looks alike is one like any other', async () => {
    for (const partner_order_ref of ['SIM-OTHER-', 'sim-failed-', 'X-SIM-FAILED-', 'SIM-'])
      assert.equal((await client.confirm({ partner_order_ref: uniqueId(partner_order_ref) })).status, 201);
  });
});

describe('production', () => {
  test('the header is ignored and counted, a prefix is a reference, and the paths are 404', HANG_LIMIT, async () => {
    const { databaseUrl } = await testDatabase();
    const secretsKey = `one:${Buffer.alloc(32, 1).toString('base64')}`;
    const env = { SERVICE_ENVIRONMENT: 'production', SECRETS_KEY: secretsKey, AUDIT_KEY: secretsKey };
    const settings = { DATABASE_URL: databaseUrl, PORT: '0', OPERATIONS_PORT: '0', LOG_LEVEL: 'silent', ...env };
    const production = await startServiceProcess(readConfig(settings), { isFirst: true, roles: ['api'] });
    after(() => production.stop());
    const { partnerId: ofProduction } = await createPartner(production.database, OWNER, 'Of production', OPEN_RATES);
    const terms = { name: 'test', permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
    const { apiKey } = await issueApiKey(production.database, OWNER, {
      environment: 'production',
      partnerId: ofProduction,
      ...terms,
    });
    const live = new Client(production.baseUrl, apiKey);
    for (const scenario of [...SCENARIO_NAMES, 'nonsense'])
      assert.equal((await live.confirm({}, asking(scenario))).status, 201, scenario);
    assert.equal((await live.estimate({}, asking('service_unavailable'))).status, 201);
    for (const prefix of SCENARIO_PREFIXES) assert.equal((await live.confirm(referring(prefix))).status, 201, prefix);
    assert.match(
      await production.metrics.registry.metrics(),
      /partner_impact_sandbox_requests_ignored_total\{asked="scenario"\} 13/,
    );
    let asked = 0;
    for (const [path, operations] of Object.entries<object>(document.paths).filter(([path]) => path.startsWith('/v1/sandbox')))
      for (const method of Object.keys(operations).map((name) => name.toUpperCase())) {
        const url = path.replace(/\{\w+\}/g, 'txn_01KA2Z9V7M5CEN5XA66EMZSRZW');
        const { status, body } = await live.call(url, { method, ...(method === 'POST' && { headers: newKey(), body: {} }) });
        assert.deepEqual([status, body.error.code], [404, 'invalid_request'], `${method} ${path}`);
        assert.match(body.error.message, /exist in the sandbox alone\.$/);
        asked++;
      }
    assert.equal(asked, 9);
    const { body: mistyped } = await live.call('/v1/impact-transaction');
    assert.match(mistyped.error.message, /lists all paths; every sandbox serves it at \/docs\/reference\.$/);
    const { run } = commandLine({ BASE_URL: production.baseUrl, API_KEY: apiKey });
    const rehearsed = await run(['rehearse', '--url', 'https://example.org/hook']);
    assert.deepEqual([rehearsed.code, rehearsed.stdout], [2, '']);
    assert.match(rehearsed.stderr, /not a sandbox/);
    const counted = new RegExp(`partner_impact_sandbox_requests_ignored_total\\{asked="path"\\} ${asked}`);
    assert.match(await production.metrics.registry.metrics(), counted);
  });
});
