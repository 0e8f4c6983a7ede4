/** Every attack of `npm run siege`, short and with few connections, beside an honest partner. Decisions, section 6. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../reliability/harness/free-port.ts';
import { freshSeed, seeded } from '../../reliability/harness/random.ts';
import { ATTACKS } from '../../reliability/siege/attacks.ts';
import { prepareAttack } from '../../reliability/siege/begin-attack.ts';
import { checkFigures } from '../../reliability/siege/check-figures.ts';
import type { AttackFigures } from '../../reliability/siege/measure-attack.ts';
import type { Partners } from '../../reliability/siege/partners.ts';
import { DEFAULT_RATES } from '../../src/domain/access/partner-rates.ts';
import { revokeApiKey } from '../../src/operations/access/manage-api-key.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { newConfirmation } from '../support/client.ts';
import { readDocument } from '../support/document-blocks.ts';
import { type TestPartner, testServiceProcesses } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { endpointTools, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const ATTACK_MS = 700;
const CONNECTIONS_MAX = 48;
const CONTRIBUTIONS_MAX = 20;

const operationsPort = await freePort();
const service = await testServiceProcesses(1, { ...WEBHOOK_ENV, OPERATIONS_PORT: `${operationsPort}` });
const { database } = service;
const tools = endpointTools(database);
const port = Number(new URL(service.baseUrl).port);

const partners: Partners = {
  async make(settledContributions) {
    const made = await service.newPartner({ rates: DEFAULT_RATES });
    const settlementId = settledContributions === undefined ? '' : await settle(made, settledContributions);
    const { apiKey, key } = made.key;
    return { partnerId: made.partner.partnerId, apiKey, keyId: key.keyId, settlementId };
  },
  revokeKey: async ({ keyId }) => void (await revokeApiKey(database, OWNER, keyId)),
  addEndpoint: async ({ partnerId }, url) => void (await addEndpoint(tools, OWNER, { partnerId, url, eventTypes: [] })),
};

async function settle({ partner, client }: TestPartner, contributions: number): Promise<string> {
  await openFirst(database, partner);
  for (let made = 0; made < contributions; made++) assert.equal((await client.confirm()).status, 201);
  const { closed } = await closeNow(database, partner.partnerId);
  return closed.settlementId;
}

const honest = await service.newPartner();
const honestSettlement = `/v1/settlements/${await settle(honest, 3)}`;

/** It is recorded before the first attack, and replays beside each. */
const LIST = {
  method: 'POST',
  headers: { 'content-type': 'text/csv', 'idempotency-key': 'list-of-honest' },
  body: 'partner_event_id,partner_order_ref,points\nevent-of-nobody,order-of-nobody,1\n',
};
assert.equal((await honest.client.call(`${honestSettlement}/reconciliations`, LIST)).status, 202);

/** One after the other, each answer as if nobody attacked. */
async function serveHonest(signal: AbortSignal): Promise<void> {
  const { client } = honest;
  do {
    const sent = newConfirmation();
    const confirmed = await client.confirm(sent);
    assert.equal(confirmed.status, 201, confirmed.text);
    assert.equal(confirmed.body.contribution.partner_event_id, sent.partner_event_id);
    const found = await client.findByEvent(sent.partner_event_id);
    assert.equal(found.status, 200, found.text);
    assert.deepEqual(found.body.contribution, confirmed.body.contribution);
    const statement = await client.call(`${honestSettlement}/statement.csv`);
    assert.equal(statement.status, 200, statement.text);
    assert.equal(statement.text.trimEnd().split('\n').length, 1 + 3);
    const list = await client.call(`${honestSettlement}/reconciliations`, LIST);
    assert.equal(list.status, 202, list.text);
    assert.equal((await client.listEvents('?limit=10')).status, 200);
  } while (!signal.aborted);
}

const seed = freshSeed();

test('every attack that has a file is among them, by its name', () => {
  const files = globSync('reliability/siege/attacks/**/*.ts', { cwd: join(import.meta.dirname, '../..') });
  assert.deepEqual(ATTACKS.map(({ name }) => `${name}.ts`).sort(), files.map((path) => basename(path)).sort());
});

describe('the figures of an attack', () => {
  /** As far as each limit allows. */
  const AT_THE_LIMITS: Omit<AttackFigures, 'attacker'> = {
    seconds: 8,
    quiet: { p50Ms: 1, p99Ms: 10, maxMs: 20 },
    beside: { p50Ms: 1, p99Ms: 110, maxMs: 200 },
    refused: {},
    honestRequests: 400,
    latenessMs: 50,
    othersCores: 0,
    memory: { before: 200, peak: 400, after: 292 },
    findings: [],
  };
  const check = (change: Partial<AttackFigures>, { bytesSent = 1, hasServiceEnded = false } = {}) =>
    checkFigures({ ...AT_THE_LIMITS, ...change, attacker: { bytesSent } as AttackFigures['attacker'] }, { hasServiceEnded });

  test('are right at the limits', () => {
    assert.deepEqual(check({}), []);
  });

  const { memory, beside } = AT_THE_LIMITS;
  const cases: [what: string, found: string[], finding: RegExp][] = [
    ['a peak of the memory', check({ memory: { ...memory, peak: 401 } }), /^memory was 401 MB at most$/],
    ['memory that does not come back', check({ memory: { ...memory, after: 293 } }), /^memory is 293 MB after 200 MB$/],
    ['an honest partner that waits', check({ beside: { ...beside, p99Ms: 111 } }), /^p99 is 101 ms above the quiet one$/],
    ['an honest partner that is refused', check({ refused: { 503: 2 } }), /^of 400 honest requests 2 × 503$/],
    ['the end of the service', check({}, { hasServiceEnded: true }), /^the service ended$/],
    ['what the attack finds itself', check({ findings: ['a secret'] }), /^a secret$/],
    ['an attack that sent nothing', check({}, { bytesSent: 0 }), /^void: nothing was sent$/],
    ['honest requests that went out late', check({ latenessMs: 51 }), /^void: .* 51 ms late$/],
  ];
  for (const [what, found, finding] of cases)
    test(`are wrong by ${what}`, () => {
      assert.equal(found.length, 1, found.join());
      assert.match(found.join(), finding);
    });

  test('are wrong by a peak at which docs/operating.md alerts', () => {
    const [, bytes] =
      /`max\(process_resident_memory_bytes\{job="partner-impact"\}\) > (\S+)`/.exec(readDocument('docs/operating.md')) ?? [];
    const megabytes = Number(bytes) / 1_000_000;
    const wrongAt = (peak: number) => check({ memory: { ...memory, peak } }).length;
    assert.deepEqual([wrongAt(megabytes), wrongAt(megabytes + 1)], [0, 1]);
  });
});

describe('an honest partner is refused nothing, and answered as ever, beside somebody who sends', () => {
  for (const attack of ATTACKS)
    test(`${attack.sends} (${attack.name})`, async (t) => {
      t.diagnostic(`seed ${seed}`);
      const limits = { connectionsMax: CONNECTIONS_MAX, contributionsMax: CONTRIBUTIONS_MAX };
      const start = await prepareAttack(attack, { partners, port, operationsPort, random: seeded(seed), ...limits });
      const running = start();
      const isOver = new AbortController();
      const serving = Promise.all([serveHonest(isOver.signal), serveHonest(isOver.signal)]);
      try {
        await Promise.race([serving, sleep(ATTACK_MS)]);
        isOver.abort();
        await serving;
      } finally {
        await running.end();
      }
      assert.ok(running.attacker.bytesSent > 0, 'the attack must reach the service, or nothing is shown');
    });
});
