/** The reckoning of `reliability/quarter/main.ts`, which holds the service's books against its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listWrongAmounts } from '../../reliability/quarter/check-figures.ts';
import { billedText, readMoney } from '../../reliability/quarter/money.ts';
import { type Entry, PartnerRecords } from '../../reliability/quarter/partner-records.ts';
import { type PlannedRule, planRules, rulesDuring } from '../../reliability/quarter/rule-plan.ts';

const CHANGE = Date.parse('2027-01-15T16:00:00Z');
const rules = planRules(Date.parse('2027-01-01T05:00:00Z'), 1_000);
const labels = (found: readonly (PlannedRule | undefined)[]) => found.map((rule) => rule?.label ?? 'default-1');
const during = (kind: PlannedRule['kind'], partner: number, [from, to]: [number, number]) =>
  labels(rulesDuring(rules, { kind, partner, from, to }));

test('a rule is in force from its start, and both are possible for what is under way meanwhile', () => {
  assert.deepEqual(during('tree_cost', 0, [CHANGE - 2_000, CHANGE - 1]), ['tree-sar-0']);
  assert.deepEqual(during('tree_cost', 0, [CHANGE - 2_000, CHANGE]), ['tree-sar-0', 'tree-sar-1']);
  assert.deepEqual(during('tree_cost', 0, [CHANGE, CHANGE + 1]), ['tree-sar-1']);
});

test("a partner's own rule comes before those for all, and a value in another currency is for others", () => {
  assert.deepEqual(during('contribution_rule', 0, [CHANGE, CHANGE]), ['reviewed-1']);
  assert.deepEqual(during('contribution_rule', 2, [CHANGE, CHANGE]), ['bounds-1']);
  assert.deepEqual(during('point_conversion', 1, [CHANGE, CHANGE]), ['point-cad-1']);
  assert.deepEqual(during('point_conversion', 2, [CHANGE, CHANGE]), ['default-1']);
});

test('what is outside the bounds is refused, and what reaches the threshold is reviewed', () => {
  const partnerRecords = new PartnerRecords(rules);
  const sent = { from: CHANGE, to: CHANGE + 1 };
  assert.deepEqual(partnerRecords.listPossibleAnswers(2, 4n, sent), [400]);
  assert.deepEqual(partnerRecords.listPossibleAnswers(2, 5n, sent), [201]);
  assert.deepEqual(partnerRecords.listPossibleAnswers(0, 39_999n, sent), [201, 202]);
  assert.deepEqual(partnerRecords.listPossibleAnswers(0, 40_000n, sent), [202]);
});

test('a day on which more was confirmed at once than its cap is named', () => {
  const partnerRecords = new PartnerRecords(planRules(0, 1));
  const noon = Date.parse('2027-02-01T12:00:00Z');
  for (let number = 0; number < 3; number++) partnerRecords.add(entryAt(noon + number));
  assert.deepEqual(partnerRecords.listDaysOverCap(0, 0), ['3 on 2027-02-01 at Riyadh, cap 2']);
});

test('amounts are exact, and billed once with half a minor unit rounded up', () => {
  assert.equal(readMoney('-0.000000000001'), -1n);
  assert.equal(billedText(readMoney('12.345'), 2), '12.35');
  assert.equal(billedText(readMoney('-0.005'), 2), '-0.01');
  assert.equal(billedText(readMoney('-0.004'), 2), '0.00');
  assert.equal(billedText(readMoney('1.5'), 0), '2');
});

test('amounts that repeat a debt, or are not carried over whole, are named', () => {
  const month = (carriedIn: string, net: string, payable: string, carriedOut: string) => ({
    period_label: '2026-11',
    carried_in_amount: carriedIn,
    net_amount: net,
    payable_amount: payable,
    carried_out_amount: carriedOut,
    amount: payable === '0.00' ? carriedOut : payable,
  });
  const first = month('0.00', '-2.50', '0.00', '-2.50');
  assert.deepEqual(listWrongAmounts([first, month('-2.50', '3.00', '0.50', '0.00')]), []);
  const wrong = [
    month('-2.50', '0.00', '0.00', '0.00'),
    month('0.00', '3.00', '3.00', '0.00'),
    month('-2.49', '3.00', '0.51', '0.00'),
  ];
  for (const each of wrong) assert.equal(listWrongAmounts([first, each]).length, 1);
});

function entryAt(from: number): Entry {
  const sent = { from, to: from };
  const name = `entry-${from}`;
  return {
    partner: 0,
    key: name,
    eventId: name,
    orderRef: name,
    transactionId: name,
    points: 1n,
    calculationId: null,
    sent,
    labels: { contributionRule: 'reviewed-1', pointConversion: 'point-sar-1', treeCost: 'tree-sar-1' },
    state: 'confirmed',
    wasPending: false,
    confirmed: sent,
    plan: 'leave',
  };
}
