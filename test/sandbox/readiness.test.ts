/** The checklist before production: decisions, section 8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { READINESS_CHECKS } from '../../src/domain/sandbox/readiness.ts';
import { type Client, newConfirmation } from '../support/client.ts';
import { newKey, PLAYS, verifyBy } from '../support/readiness-plays.ts';
import { testService } from '../support/service.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV, roles: ['api', 'webhooks', 'schedule'] });
const tools = endpointTools(service.database);
const waiting = { timeout: 120_000 };

interface Check {
  readonly check: string;
  readonly passed: boolean;
  readonly evidence: readonly { correlation_id: string | null; subject_id: string | null; seen_at: string }[];
  readonly what_to_do: string;
}

async function passedOf(client: Client): Promise<Map<string, Check>> {
  const { status, body: answer } = await client.call('/v1/sandbox/readiness');
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

/** What is noted beside an answer is there a moment later; the test's own limit ends it. */
async function untilPassed(client: Client, check: string): Promise<Check> {
  for (;;) {
    const found = (await passedOf(client)).get(check);
    if (found) return found;
    await sleep(50);
  }
}

async function newPartner() {
  const made = await newEndpoint(service, tools);
  verifyBy(made.receiver, made.secret);
  return made;
}

test('an empty page of events is no catching up', waiting, async () => {
  const { client } = await newPartner();
  assert.deepEqual((await client.listEvents('?after_sequence=7')).body.events, []);
  // What is noted later is there: so would be what was noted before it.
  await PLAYS.exact_points(client);
  await untilPassed(client, 'exact_points');
  assert.equal((await passedOf(client)).has('caught_up'), false);
});

test('it turns green check by check, by what the partner plays, and tells what showed it', waiting, async () => {
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

test('replayed_key: a request without an outcome, sent again under its own key, and not under another one', waiting, async () => {
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
});

test('what was not done right stays red', waiting, async () => {
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
  await sleep(1_500);
  assert.deepEqual([...(await passedOf(client)).keys()], ['replayed_key']);
});
