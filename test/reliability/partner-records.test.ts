/** What the partner's server of the experiments finds wrong, in answers and in the database: what it lets through, no run would show. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { Exchange } from '../../reliability/harness/exchange.ts';
import { confirmationBody, type Intent, makeIntents } from '../../reliability/harness/intent.ts';
import { Partner } from '../../reliability/harness/partner.ts';
import { seeded } from '../../reliability/harness/random.ts';
import { verify } from '../../reliability/harness/verify-contributions.ts';
import { testService } from '../support/service.ts';

/** Contributions that are only confirmed. */
function plainIntents(count: number, run: string): Intent[] {
  const wants = {
    estimate: 'none',
    isSentTwiceAtOnce: false,
    isLookedUpAtOnce: false,
    isReplayedLater: false,
    isKeyMisused: false,
    isEventRepeatedUnderAnotherKey: false,
  } as const;
  return makeIntents(count, seeded(1), run).map((intent, number) => {
    const plain: Intent = { ...intent, partnerOrderRef: `order-${run}-${number}`, points: 1n, wants };
    return { ...plain, body: confirmationBody(plain) };
  });
}

/** Everything that was begun before is over. */
const SETTLED_UNTIL = '2026-01-01T00:00:10.000Z';

describe('a partner whose confirmation got no answer, and whose look-up after a kill says "not found"', () => {
  async function recover(createdAt: string): Promise<string[]> {
    const [intent] = plainIntents(1, 'denied') as [Intent];
    let confirmations = 0;
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') {
        response.writeHead(404).end('{"error":{"code":"contribution_not_found"}}');
      } else if (++confirmations === 1) {
        response.destroy();
      } else {
        const contribution = {
          partner_event_id: intent.partnerEventId,
          partner_order_ref: intent.partnerOrderRef,
          points: 1,
          opaque_customer_ref: intent.opaqueCustomerRef,
          status: 'confirmed',
          non_refundable: true,
          created_at: createdAt,
        };
        response.writeHead(201, { 'idempotent-replayed': 'true' });
        response.end(JSON.stringify({ contribution, association: { status: 'not_requested' } }));
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const exchange = new Exchange(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key', 2);
    const violations: string[] = [];
    const partner = new Partner({
      exchange,
      onSent: () => {},
      onConfirmed: () => {},
      settledUntilMs: () => Date.parse(SETTLED_UNTIL),
      report: (violation) => void violations.push(violation),
    });
    await partner.contribute(intent);
    await exchange.close();
    server.close();
    assert.deepEqual([intent.learned.outcome, confirmations], ['confirmed', 2]);
    return violations;
  }

  test('finds the look-up wrong when the contribution was stored before the kill', async () => {
    assert.match((await recover('2026-01-01T00:00:09.999Z')).join(), /created at 2026-01-01T00:00:09\.999Z, and a look-up/);
  });

  test('takes it as true when the contribution was stored since', async () => {
    assert.deepEqual(await recover(SETTLED_UNTIL), []);
  });
});

const service = await testService({ roles: ['api'] });

describe('the events of confirmations', () => {
  /** Of a partner with two contributions, after a change of its events that wait for their sequence. */
  async function verifyAfter(change: string) {
    const { partner, key } = await service.newPartner();
    const { partnerId } = partner;
    const exchange = new Exchange(service.baseUrl, key.apiKey, 2);
    const violations: string[] = [];
    const report = (violation: string) => void violations.push(violation);
    const intents = plainIntents(2, partnerId.slice(-8));
    const server = new Partner({ exchange, onSent: () => {}, onConfirmed: () => {}, report });
    for (const intent of intents) await server.contribute(intent);
    await exchange.close();
    assert.deepEqual(violations, []);
    await service.database.pool.query(change, [partnerId]);
    const { rows, events } = await verify(service.database, partnerId, { intents, report });
    assert.equal(rows, 2);
    return { events, violations };
  }

  const FIRST =
    "partner_id = $1 and subject_id = (select min(subject_id) from event_outbox where partner_id = $1 and event_type = 'impact.transaction.confirmed')";
  const again = (subject: string) =>
    `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
    select partner_id, event_id || '2', event_type, ${subject}, occurred_at from event_outbox where ${FIRST}`;

  test('are right when each has one', async () => {
    assert.deepEqual(await verifyAfter('select $1'), { events: 2, violations: [] });
  });

  const wrong: [what: string, change: string, violation: RegExp][] = [
    ['is missing', `delete from event_outbox where ${FIRST}`, /^event-\S+ is confirmed and has 0 events$/],
    ['is told twice', again('subject_id'), /^event-\S+ is confirmed and has 2 events$/],
    ['tells of nothing stored', again("'txn_nothing'"), /^an event tells of txn_nothing, which is not stored$/],
  ];
  for (const [what, change, violation] of wrong)
    test(`are wrong when one ${what}`, async () => {
      assert.match((await verifyAfter(change)).violations.join('\n'), violation);
    });
});
