import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { POINTS_MAX } from '../numbers/points.ts';
import { checkNewRule, type NewRule, RULE_LEAD_MS, type RuleContext, toRuleVersion } from './new-rule.ts';
import type { ContributionRule } from './rule-versions.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const tomorrow = new Date('2026-11-21T12:00:00.000Z');
const context: RuleContext = { now, partnerCurrency: 'AED', existing: [] };
const head = { startsAt: tomorrow, partnerId: 'ptn_a' };
const bounds: ContributionRule = {
  ...head,
  kind: 'contribution_rule',
  version: 'points-1',
  pointsMin: 1n,
  pointsMax: POINTS_MAX,
  reviewsEverything: false,
  reviewThreshold: null,
  dailyPointsCap: null,
  dailyCountCap: null,
};
const conversion: NewRule = { ...head, kind: 'point_conversion', version: 'value-1', pointValue: '0.05', currency: 'AED' };
const treeCost: NewRule = { ...head, kind: 'tree_cost', version: 'tree-1', treeCost: '20', currency: 'AED' };

const problems = (rule: NewRule, over: Partial<RuleContext> = {}) =>
  checkNewRule(rule, { ...context, ...over }).map(({ field, code }) => `${field} ${code}`);

test('settlements, section 1: a well-formed rule of each kind is kept, its prices as exact amounts', () => {
  for (const rule of [bounds, conversion, treeCost]) assert.deepEqual(problems(rule), [], rule.kind);
  assert.deepEqual(toRuleVersion(conversion), { ...conversion, pointValue: 50_000_000_000n });
  assert.deepEqual(toRuleVersion(treeCost), { ...treeCost, treeCost: 20n * 10n ** 12n });
  assert.deepEqual(toRuleVersion(bounds), bounds);
});

test('settlements, section 1: a rule without a value is one, and takes no currency', () => {
  assert.deepEqual(problems({ ...conversion, pointValue: null, currency: null }, { partnerCurrency: null }), []);
  assert.deepEqual(problems({ ...treeCost, treeCost: null, currency: null }), []);
  assert.deepEqual(problems({ ...treeCost, treeCost: null }), ['currency not_expected']);
});

test('settlements, section 1: rules never start in the past', () => {
  assert.deepEqual(problems({ ...bounds, startsAt: new Date(now.getTime() - 1) }), ['starts_at in_the_past']);
  assert.deepEqual(problems({ ...bounds, startsAt: now }), ['starts_at too_soon']);
  assert.deepEqual(problems({ ...bounds, startsAt: new Date(now.getTime() + RULE_LEAD_MS - 1) }), ['starts_at too_soon']);
  assert.deepEqual(problems({ ...bounds, startsAt: new Date(now.getTime() + RULE_LEAD_MS) }), []);
  assert.deepEqual(problems({ ...bounds, startsAt: new Date(Number.NaN) }), ['starts_at wrong_form']);
});

test('settlements, section 1: a rule in another currency than the partner has is refused', () => {
  assert.deepEqual(problems({ ...conversion, currency: 'SAR' }), ['currency other_currency']);
  assert.deepEqual(problems({ ...treeCost, currency: 'SAR' }), ['currency other_currency']);
  assert.deepEqual(problems(conversion, { partnerCurrency: null }), ['currency not_fixed']);
  assert.deepEqual(problems({ ...conversion, partnerId: null, currency: 'SAR' }, { partnerCurrency: undefined }), []);
  for (const currency of ['aed', 'XXX', 'ZZZ', ''])
    assert.deepEqual(problems({ ...conversion, currency }), ['currency wrong_form']);
  assert.deepEqual(problems({ ...conversion, currency: null }), ['currency missing']);
});

test('settlements, section 1: a label is an identifier of the interface, and means one version', () => {
  for (const version of ['', ' ', 'a b', 'é', 'x'.repeat(129), 'a/b', 'a\n'])
    assert.deepEqual(problems({ ...bounds, version }), ['version wrong_form'], version);
  for (const version of ['default-1', 'default-2']) assert.deepEqual(problems({ ...bounds, version }), ['version reserved']);
  const existing = [{ ...bounds, partnerId: 'ptn_b', startsAt: now }];
  assert.deepEqual(problems(bounds, { existing }), ['version already_used']);
  assert.deepEqual(problems({ ...bounds, version: 'points-2' }, { existing: [bounds] }), ['starts_at already_used']);
  assert.deepEqual(problems({ ...bounds, version: 'points-2' }, { existing: [{ ...bounds, partnerId: null }] }), []);
  const withdrawn = [{ ...bounds, withdrawnAt: now }];
  assert.deepEqual(problems({ ...bounds, version: 'points-2' }, { existing: withdrawn }), [], 'its start is free again');
  assert.ok(problems(bounds, { existing: withdrawn }).includes('version already_used'), 'its label is not');
});

test('settlements, section 1: bounds, threshold and caps are whole numbers of int64, the least not above the most', () => {
  const fields = {
    pointsMin: 'points_min',
    pointsMax: 'points_max',
    reviewThreshold: 'review_threshold',
    dailyPointsCap: 'daily_points_cap',
    dailyCountCap: 'daily_count_cap',
  };
  for (const [name, field] of Object.entries(fields)) {
    const wide = { ...bounds, pointsMin: 1n, pointsMax: POINTS_MAX };
    assert.ok(problems({ ...wide, [name]: 0n }).includes(`${field} too_small`), field);
    assert.ok(problems({ ...wide, [name]: POINTS_MAX + 1n }).includes(`${field} too_large`), field);
    assert.deepEqual(problems({ ...wide, [name]: name === 'pointsMax' ? POINTS_MAX : 1n }), [], field);
  }
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: POINTS_MAX }), fc.bigInt({ min: 1n, max: POINTS_MAX }), (pointsMin, pointsMax) => {
      assert.deepEqual(
        problems({ ...bounds, pointsMin, pointsMax }),
        pointsMin > pointsMax ? ['points_max below_points_min'] : [],
      );
    }),
  );
});

test('settlements, section 1: a price is an exact decimal in a string', () => {
  for (const pointValue of ['0', '-1', '1e2', '.5', '1.', '007', '0.0000000000001', 'free', '']) {
    assert.deepEqual(problems({ ...conversion, pointValue }), ['point_value wrong_form'], pointValue);
    assert.deepEqual(problems({ ...treeCost, treeCost: pointValue }), ['tree_cost wrong_form'], pointValue);
  }
  assert.throws(() => toRuleVersion({ ...conversion, pointValue: '0' }), RangeError);
});

test('settlements, section 1: all problems of a rule are told at once, each with what must be', () => {
  const rule: NewRule = { ...bounds, version: 'a b', startsAt: new Date(0), pointsMin: 9n, pointsMax: 0n, dailyCountCap: 0n };
  assert.deepEqual(problems(rule), [
    'version wrong_form',
    'starts_at in_the_past',
    'points_max too_small',
    'points_max below_points_min',
    'daily_count_cap too_small',
  ]);
  const [{ message } = { message: '' }] = checkNewRule({ ...bounds, startsAt: new Date(0) }, context);
  assert.equal(message, 'starts_at must be 2026-11-20T12:01:00.000Z or later: rules never start in the past.');
});
