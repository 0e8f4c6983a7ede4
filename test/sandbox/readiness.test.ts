/** The checklist before production: decisions, section 8. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { READINESS_CHECKS } from '../../src/domain/sandbox/readiness.ts';
import { watchReadiness } from '../../src/operations/sandbox/readiness.ts';
import type { LookedUpContribution } from '../../src/store/contributions/looked-up-contribution.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Client, newConfirmation, uniqueId } from '../support/client.ts';
import { compareWithNewSettlement, newKey, PLAYS, verifyBy } from '../support/readiness-plays.ts';
import { testService } from '../support/service.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV, roles: ['api', 'webhooks', 'schedule'] });
const tools = endpointTools(service.database);
interface Check {
  readonly check: string;
  readonly passed: boolean;
  readonly evidence: readonly { correlation_id: string | null; subject_id: string | null; seen_at: string }[];
  readonly what_to_do: string;
}

async function passedOf(client: Client, query = ''): Promise<Map<string, Check>> {
  const { status, body: answer } = await client.call(`/v1/sandbox/readiness${query}`);
  assert.equal(status, 200);
  const body = answer.readiness;
  assert.deepEqual(
    body.checks.map(({ check }: Check) => check),
    Object.keys(READINESS_CHECKS),
  );
  assert.equal(
    body.ready,
    body.checks.every(({ passed }: Check) => passed),
  );
  return new Map(body.checks.filter(({ passed }: Check) => passed).map((each: Check) => [each.check, each]));
}

/** What is noted beside an answer is there a moment later. */
async function untilPassed(client: Client, check: string, query = ''): Promise<Check> {
  return waitFor(`check ${check} that has passed`, async () => (await passedOf(client, query)).get(check));
}

async function newPartner() {
  const made = await newEndpoint(service, tools);
  verifyBy(made.receiver, made.secret);
  return made;
}

test('an empty page of events is no catching up', HANG_LIMIT, async () => {
  const { client } = await newPartner();
  assert.deepEqual((await client.listEvents('?after_sequence=7')).body.events, []);
  // What is noted later is there: so would be what was noted before it.
  await PLAYS.exact_points(client);
  await untilPassed(client, 'exact_points');
  assert.equal((await passedOf(client)).has('caught_up'), false);
});

/** Loses the answer of a confirmation so many minutes ago, and looks the contribution up just before the watch is closed. */
async function lookUpAfter(minutes: number) {
  const { client, partner } = await service.newPartner();
  const { body } = await client.confirm();
  const { transaction_id } = body.contribution;
  await service.database.pool.query(
    `insert into sandbox_rehearsal (partner_id, idempotency_key, operation, scenario, correlation_id, first_at, last_at, subject_id)
    values ($1, 'a-key-of-this-test', 'confirm', 'timeout_after_commit', 'corr', $3, $3, $2)`,
    [partner.partnerId, transaction_id, new Date(Date.now() - minutes * 60_000)],
  );
  const record = { partnerId: partner.partnerId, contribution: { transactionId: transaction_id, points: 1n } };
  const readiness = watchReadiness(service.database, assert.ifError);
  readiness.recordLookup(record as LookedUpContribution, 'corr-of-the-look-up');
  await readiness.close();
  return client;
}

test('a look-up just before a stop is recorded', async () => {
  const { evidence = [] } = (await passedOf(await lookUpAfter(0))).get('recovered_lost_answer') ?? {};
  assert.equal(evidence[0]?.correlation_id, 'corr-of-the-look-up');
});

test('a look-up more than an hour after its answer was lost shows no recovery, and the check says so', async () => {
  const client = await lookUpAfter(61);
  assert.equal((await passedOf(client)).has('recovered_lost_answer'), false);
  const { checks } = (await client.call('/v1/sandbox/readiness')).body.readiness;
  const check = checks.find(({ check }: { check: string }) => check === 'recovered_lost_answer');
  assert.match(check.what_to_do, /look the contribution up by partner_event_id within an hour,/);
});

test('it turns green check by check, by what the partner plays, and tells what showed it', HANG_LIMIT, async () => {
  const { client } = await newPartner();
  const { client: other } = await newPartner();
  assert.equal((await passedOf(client)).size, 0);
  const names = Object.keys(PLAYS) as (keyof typeof PLAYS)[];
  for (const [index, name] of names.entries()) {
    const correlationId = await PLAYS[name](client);
    const { evidence } = await untilPassed(client, name);
    if (correlationId !== null) assert.equal(evidence[0]?.correlation_id, correlationId, name);
    assert.deepEqual([...(await passedOf(client)).keys()].sort(), names.slice(0, index + 1).sort());
  }
  assert.equal((await client.call('/v1/sandbox/readiness')).body.readiness.ready, true);
  assert.equal((await passedOf(other)).size, 0);
});

test(
  'replayed_key: a request without an outcome, sent again under its own key, and not under another one',
  HANG_LIMIT,
  async () => {
    for (const scenario of ['timeout_before_commit;times=1', 'service_unavailable;times=2']) {
      const { client } = await newPartner();
      const asking = (headers: Record<string, string>) => client.confirm(lost, { ...headers, 'x-sandbox-scenario': scenario });
      const [key, lost] = [newKey(), newConfirmation()];
      const isRefused = (outcome: PromiseSettledResult<{ status: number }>) =>
        outcome.status === 'rejected' || outcome.value.status === 503;
      assert.ok(isRefused((await Promise.allSettled([asking(key)]))[0]));
      await client.confirm(lost, newKey());
      assert.deepEqual([...(await passedOf(client)).keys()], []);
      const kept = newConfirmation();
      let headers: Headers | undefined;
      for (const own = newKey(); headers === undefined; ) {
        const sent = await Promise.allSettled([client.confirm(kept, { ...own, 'x-sandbox-scenario': scenario })]);
        if (sent[0].status === 'fulfilled' && sent[0].value.status === 201) ({ headers } = sent[0].value);
      }
      const { evidence } = await untilPassed(client, 'replayed_key');
      assert.equal(evidence[0]?.correlation_id, headers.get('x-correlation-id'));
    }
  },
);

test(
  'replayed_key: a contribution that was confirmed before its key was refused shows no request sent again after it',
  HANG_LIMIT,
  async () => {
    const { client } = await newPartner();
    const [key, confirmation] = [newKey(), newConfirmation()];
    assert.equal((await client.confirm(confirmation, key)).status, 201);
    const refused = await client.confirm(confirmation, { ...key, 'x-sandbox-scenario': 'service_unavailable' });
    assert.equal(refused.status, 503);
    await PLAYS.exact_points(client);
    await untilPassed(client, 'exact_points');
    assert.equal((await passedOf(client)).has('replayed_key'), false);
  },
);

test('the first confirmation of an event that operators recorded as failed is no repeat', HANG_LIMIT, async () => {
  const { client } = await newPartner();
  const failed = newConfirmation();
  const { partner_event_id, partner_order_ref, points } = failed;
  const recorded = await client.post('/v1/sandbox/failures', { partner_event_id, partner_order_ref, points });
  assert.equal(recorded.status, 201, recorded.text);
  assertError(await client.confirm(failed), 'contribution_final_failure');
  await PLAYS.exact_points(client);
  await untilPassed(client, 'exact_points');
  assert.equal((await passedOf(client)).has('replayed_key'), false);
});

test('exact_points: a replay has shown the digits, and the refusal of a failed one has none', HANG_LIMIT, async () => {
  const { client } = await newPartner();
  const twice = async (scenario: Record<string, string>) => {
    const [confirmation, headers] = [
      { ...newConfirmation(), points: 9007199254740993n },
      { ...newKey(), ...scenario },
    ];
    await client.confirm(confirmation, headers);
    return client.confirm(confirmation, headers);
  };
  assertError(await twice({ 'x-sandbox-scenario': 'failed' }), 'contribution_final_failure');
  await untilPassed(client, 'replayed_key');
  assert.equal((await passedOf(client)).has('exact_points'), false);
  const replay = await twice({});
  const { evidence } = await untilPassed(client, 'exact_points');
  assert.equal(evidence[0]?.correlation_id, replay.headers.get('x-correlation-id'));
});

test(
  'exact_points: the look-up after an answer that was lost by the prefix of the order has shown the digits',
  HANG_LIMIT,
  async () => {
    const { client } = await newPartner();
    const partner_order_ref = uniqueId('SIM-TIMEOUT-AFTER-COMMIT-');
    const confirmation = { ...newConfirmation(), partner_order_ref, points: 9007199254740993n };
    await assert.rejects(client.confirm(confirmation));
    const { headers } = await client.findByEvent(confirmation.partner_event_id);
    const { evidence } = await untilPassed(client, 'exact_points');
    assert.equal(evidence[0]?.correlation_id, headers.get('x-correlation-id'));
  },
);

test('what was not done right stays red', HANG_LIMIT, async () => {
  const { client, receiver } = await newEndpoint(service, tools);
  receiver.answerWith(200);
  await PLAYS.verified_signature(client);
  const [key, confirmation] = [newKey(), newConfirmation()];
  await client.confirm(confirmation, { ...key, 'x-sandbox-scenario': 'rate_limited' });
  await client.confirm(confirmation, key);
  const lost = newConfirmation();
  await assert.rejects(client.confirm(lost, { ...newKey(), 'x-sandbox-scenario': 'timeout_after_commit' }));
  await client.confirm({ ...newConfirmation(), points: 9007199254740992n });
  await client.listEvents('?after_sequence=0');
  // Whatever is noted beside an answer has been noted when this has.
  await PLAYS.replayed_key(client);
  await untilPassed(client, 'replayed_key');
  // Look-ups are noted together, those of all partners at the same time.
  const { client: other } = await service.newPartner();
  await PLAYS.recovered_lost_answer(other);
  await untilPassed(other, 'recovered_lost_answer');
  assert.deepEqual([...(await passedOf(client)).keys()], ['replayed_key']);
});

test('reconciled_settlement: stays red while lines are missing on either side, and says which', HANG_LIMIT, async () => {
  const { client } = await newPartner();
  const adviceOf = async (): Promise<string> => {
    const { checks } = (await client.call('/v1/sandbox/readiness')).body.readiness;
    return checks.find(({ check }: Check) => check === 'reconciled_settlement').what_to_do;
  };
  assert.doesNotMatch(await adviceOf(), /latest list/);
  const [listed, unlisted, unrecorded] = [newConfirmation(), newConfirmation(), newConfirmation()];
  await client.confirm(listed);
  await client.confirm(unlisted);
  const both = await compareWithNewSettlement(client, [listed, unrecorded]);
  assert.ok(
    (await adviceOf()).endsWith(
      `Your latest list, ${both.reconciliationId} of ${both.settlementId}: missing_in_service 1, missing_in_partner_file 1.`,
    ),
    await adviceOf(),
  );
  const empty = await compareWithNewSettlement(client, [listed]);
  assert.ok((await adviceOf()).endsWith(`${empty.reconciliationId} of ${empty.settlementId}: no line is matched.`));
  const other = newConfirmation();
  await client.confirm(other);
  await compareWithNewSettlement(client, [{ ...other, points: 251 }]);
  assert.match(await adviceOf(), /: points_mismatch 1\.$/);
  assert.equal((await passedOf(client)).has('reconciled_settlement'), false);
  const right = newConfirmation();
  await client.confirm(right);
  const { reconciliationId } = await compareWithNewSettlement(client, [right, listed]);
  const { evidence } = await untilPassed(client, 'reconciled_settlement');
  assert.equal(evidence[0]?.subject_id, reconciliationId);
  assert.doesNotMatch(await adviceOf(), /latest list/);
});

test('reconciled_settlement: the statement of the service, sent back, is no list of the partner', HANG_LIMIT, async () => {
  const { client } = await newPartner();
  await client.confirm();
  const { settlement } = (await client.post('/v1/sandbox/settlements/close', undefined)).body;
  const path = `/v1/settlements/${settlement.settlement_id}`;
  const headers = { 'x-api-key': client.apiKey };
  const statement = await (await fetch(`${service.baseUrl}${path}/statement.csv`, { headers })).text();
  const own = await fetch(`${service.baseUrl}${path}/reconciliations`, {
    method: 'POST',
    headers: { ...headers, ...newKey(), 'content-type': 'text/csv' },
    body: statement,
  });
  assert.equal(own.status, 202);
  const { reconciliation_id } = ((await own.json()) as { reconciliation: { reconciliation_id: string } }).reconciliation;
  const read = async () => (await client.call(`${path}/reconciliations/${reconciliation_id}`)).body.reconciliation;
  await waitFor('list that is compared', async () => (await read()).status === 'done', read);
  assert.equal((await passedOf(client)).has('reconciled_settlement'), false);
  const { rows } = await service.database.pool.query('select counts from reconciliation where reconciliation_id = $1', [
    reconciliation_id,
  ]);
  assert.equal(JSON.parse(rows[0].counts).matched, 1);
});

test('since: only what began at that time or later counts, whoever played before', HANG_LIMIT, async () => {
  const { client } = await newPartner();
  const names = Object.keys(PLAYS) as (keyof typeof PLAYS)[];
  for (const name of names) {
    await PLAYS[name](client);
    await untilPassed(client, name);
  }
  const readNow = async () => {
    const { rows } = await service.database.pool.query(
      'select to_char(now() at time zone \'utc\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\') as at',
    );
    return `?since=${rows[0].at}`;
  };
  // Evidence of a kind is recorded once in a second.
  await sleep(1_100);
  const since = await readNow();
  assert.deepEqual([...(await passedOf(client, since)).keys()], []);
  assert.equal((await client.call(`/v1/sandbox/readiness${since}`)).body.readiness.ready, false);
  for (const name of names) {
    await PLAYS[name](client);
    await untilPassed(client, name, since);
  }
  assert.equal((await client.call(`/v1/sandbox/readiness${since}`)).body.readiness.ready, true);
  assert.deepEqual([...(await passedOf(client, await readNow())).keys()], []);
  assert.equal((await passedOf(client)).size, names.length);
  for (const wrong of ['yesterday-at-five-o-clock', '2026-11-20T19:29:00.000']) {
    const { status, body } = await client.call(`/v1/sandbox/readiness?since=${wrong}`);
    assert.deepEqual([status, body.error.code, body.error.details[0].field], [400, 'invalid_request', 'since']);
  }
});
