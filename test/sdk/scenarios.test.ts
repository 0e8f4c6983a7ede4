/** Every scenario of the sandbox, played by the SDK: what the partner sees. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Intent, type Outcome, PartnerImpact } from '../../sdk/src/index.ts';
import { SCENARIO_NAMES, SCENARIO_PREFIXES } from '../../src/domain/sandbox/scenarios.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { testService } from '../support/service.ts';

const service = await testService({ roles: ['api', 'webhooks', 'schedule'] });
const { key } = await service.newPartner();

/** A client that sends the scenario with every request, and notes what it sends. */
function rehearsing(scenario: string | undefined, timeoutMs = 10_000) {
  const sent: string[] = [];
  const impact = new PartnerImpact({
    baseUrl: service.baseUrl,
    apiKey: key.apiKey,
    timeoutMs,
    fetch: (input, init) => {
      sent.push(init.method ?? 'GET');
      const headers = { ...(init.headers as Record<string, string>), ...(scenario && { 'X-Sandbox-Scenario': scenario }) };
      return fetch(input, { ...init, headers });
    },
  });
  return { impact, sent };
}

const show = (outcome: Outcome): string =>
  outcome.match({
    confirmed: () => 'confirmed',
    pending: () => 'pending',
    failed: ({ points }) => `failed: restore ${points}`,
    refused: ({ code }) => `refused: ${code}`,
    unknown: ({ code }) => `unknown: ${code}`,
  });

const newIntent = (prefix = ''): Intent => PartnerImpact.intent({ orderRef: uniqueId(`${prefix}order`), points: 250n });

/** Scenario, outcome, and the requests that it took. */
const PLAYED: readonly (readonly [scenario: string, outcome: string, sent: string, timeoutMs?: number])[] = [
  ['pending', 'pending', 'POST'],
  ['failed', 'failed: restore 250', 'POST GET'],
  ['rate_limited;times=1', 'confirmed', 'POST GET POST'],
  ['service_unavailable;times=2', 'confirmed', 'POST GET POST GET POST'],
  ['timeout_before_commit;times=1', 'confirmed', 'POST GET POST'],
  ['timeout_after_commit', 'confirmed', 'POST GET'],
  ['slow;ms=7000', 'confirmed', 'POST GET', 3_000],
  ['order_taken', 'refused: partner_order_conflict', 'POST GET'],
];

describe('scenarios by header', { concurrency: 4 }, () => {
  for (const [scenario, outcome, requests, timeoutMs] of PLAYED)
    test(`${scenario}: ${outcome}`, async () => {
      const { impact, sent } = rehearsing(scenario, timeoutMs);
      assert.deepEqual([show(await impact.confirm(newIntent())), sent.join(' ')], [outcome, requests]);
    });

  for (const end of ['confirmed', 'failed'] as const)
    test(`pending_then_${end}: pending, and ${end} when it is called again`, async () => {
      const { impact } = rehearsing(`pending_then_${end};after=1s`);
      const intent = newIntent();
      assert.equal(show(await impact.confirm(intent)), 'pending');
      const outcome = await waitFor('end of the contribution', async () => {
        const now = show(await impact.confirm(intent));
        return now !== 'pending' && now;
      });
      assert.equal(outcome, end === 'failed' ? 'failed: restore 250' : 'confirmed');
    });

  test('estimate_expired: the contribution is confirmed, the association rejected', async () => {
    const { impact } = rehearsing('estimate_expired');
    const { calculationId, partnerOrderRef } = await rehearsing(undefined).impact.estimates.create({
      orderRef: uniqueId('order'),
      distanceKm: '1',
      vehicleCategory: 'car_gasoline',
    });
    const outcome = await impact.confirm(PartnerImpact.intent({ orderRef: partnerOrderRef, points: 250n, calculationId }));
    const other = () => assert.fail('not confirmed');
    const confirmed = (_confirmed: unknown, { association }: { association: { status: string } }) => association.status;
    assert.equal(outcome.match({ confirmed, pending: other, failed: other, refused: other, unknown: other }), 'rejected');
  });

  test('every scenario is played', () => {
    const played = PLAYED.map(([scenario]) => scenario.replace(/;.*/, ''));
    const rest = ['pending_then_confirmed', 'pending_then_failed', 'estimate_expired'];
    assert.deepEqual([...played, ...rest].sort(), [...SCENARIO_NAMES].sort());
  });
});

describe('scenarios by prefix', { concurrency: 4 }, () => {
  const outcomes: Readonly<Record<string, string>> = {
    'SIM-FAILED-': 'failed: restore 250',
    'SIM-ORDER-TAKEN-': 'refused: partner_order_conflict',
    'SIM-PENDING-': 'pending',
    'SIM-PENDING-THEN-CONFIRMED-': 'pending',
    'SIM-PENDING-THEN-FAILED-': 'pending',
  };
  for (const prefix of SCENARIO_PREFIXES) {
    const outcome = outcomes[prefix] ?? 'confirmed';
    test(`${prefix}: ${outcome}`, async () => {
      const timeoutMs = prefix === 'SIM-SLOW-' ? 500 : undefined;
      assert.equal(show(await rehearsing(undefined, timeoutMs).impact.confirm(newIntent(prefix))), outcome);
    });
  }
});
