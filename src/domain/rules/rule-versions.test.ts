import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_RULES } from './contribution-rules.ts';
import {
  type ContributionRule,
  findVersionInForce,
  listVersionsInForce,
  type PointConversion,
  rulesInForce,
  type TreeCost,
} from './rule-versions.ts';

const partner = { partnerId: 'ptn_a', currency: 'AED' };
const day = (n: number) => new Date(Date.UTC(2026, 10, n));

function contributionRule(version: string, startsAt: Date, partnerId: string | null = null): ContributionRule {
  const { pointsMin, pointsMax, reviewsEverything, reviewThreshold, dailyPointsCap, dailyCountCap } = DEFAULT_RULES;
  const bounds = { pointsMin, pointsMax, reviewsEverything, reviewThreshold, dailyPointsCap, dailyCountCap };
  return { kind: 'contribution_rule', version, startsAt, partnerId, ...bounds };
}

function conversion(version: string, pointValue: bigint | null, over: Partial<PointConversion> = {}): PointConversion {
  const currency = pointValue === null ? null : 'AED';
  return { kind: 'point_conversion', version, startsAt: day(1), partnerId: null, pointValue, currency, ...over };
}

const inForce = (versions: readonly ContributionRule[], at: Date) =>
  findVersionInForce('contribution_rule', versions, { partner, at })?.version;

test('settlements, section 1: the latest version at or before an instant is in force', () => {
  const versions = [contributionRule('points-2', day(10)), contributionRule('points-1', day(1))];
  assert.equal(inForce(versions, new Date(day(1).getTime() - 1)), undefined);
  assert.equal(inForce(versions, day(1)), 'points-1');
  assert.equal(inForce(versions, new Date(day(10).getTime() - 1)), 'points-1');
  assert.equal(inForce(versions, day(10)), 'points-2');
});

test("settlements, section 1: a partner's own version comes before the general one, however old, from its start on", () => {
  const versions = [
    contributionRule('all-1', day(1)),
    contributionRule('own-1', day(5), 'ptn_a'),
    contributionRule('all-2', day(9)),
  ];
  assert.deepEqual(
    [day(4), day(5), day(20)].map((at) => inForce(versions, at)),
    ['all-1', 'own-1', 'own-1'],
  );
  assert.equal(inForce([contributionRule('other-1', day(1), 'ptn_b')], day(2)), undefined);
});

test('settlements, section 1: the version in force is the greatest by own, then start, whatever the order of the list', () => {
  const version = fc.record({
    n: fc.nat(),
    own: fc.constantFrom(null, 'ptn_a', 'ptn_b'),
    start: fc.integer({ min: 1, max: 28 }),
  });
  fc.assert(
    fc.property(fc.array(version), fc.integer({ min: 1, max: 28 }), (drawn, at) => {
      const versions = drawn.map(({ own, start, n }) => contributionRule(`v-${n}`, day(start), own));
      const found = findVersionInForce('contribution_rule', versions, { partner, at: day(at) });
      const eligible = versions.filter(({ startsAt, partnerId }) => startsAt <= day(at) && partnerId !== 'ptn_b');
      const own = eligible.filter(({ partnerId }) => partnerId === 'ptn_a');
      const latest = (own.length > 0 ? own : eligible).map(({ startsAt }) => startsAt.getTime());
      assert.equal(found?.startsAt.getTime(), latest.length > 0 ? Math.max(...latest) : undefined);
      assert.equal(found?.partnerId ?? null, own.length > 0 ? 'ptn_a' : null);
      const inReverse = findVersionInForce('contribution_rule', versions.toReversed(), { partner, at: day(at) });
      assert.equal(inReverse?.version, found?.version);
    }),
  );
});

test('settlements, section 1: a value in another currency is never applied to a partner', () => {
  const versions = [conversion('aed-1', 1n), conversion('kwd-1', 2n, { currency: 'KWD', startsAt: day(2) })];
  assert.equal(rulesInForce(versions, partner, day(3)).pointConversionVersion, 'aed-1');
  assert.equal(rulesInForce(versions, { ...partner, currency: 'KWD' }, day(3)).pointConversionVersion, 'kwd-1');
  assert.equal(rulesInForce(versions, { ...partner, currency: null }, day(3)).pointConversionVersion, 'default-1');
});

test("settlements, section 1: a partner's own version without a value takes the conversion away", () => {
  const versions = [conversion('aed-1', 1n), conversion('none-1', null, { partnerId: 'ptn_a' })];
  const { pointConversionVersion, pointValue } = rulesInForce(versions, partner, day(3));
  assert.deepEqual([pointConversionVersion, pointValue], ['none-1', null]);
});

test('settlements, section 1: each kind has a label of its own, and default-1 where no operator set one', () => {
  const cost: TreeCost = {
    kind: 'tree_cost',
    version: 'tree-1',
    startsAt: day(1),
    partnerId: null,
    treeCost: 20n,
    currency: 'AED',
  };
  const bounds = { ...contributionRule('points-1', day(1)), pointsMin: 5n, dailyCountCap: 7n };
  assert.deepEqual(rulesInForce([], partner, day(1)), DEFAULT_RULES);
  assert.deepEqual(rulesInForce([cost], partner, day(1)), { ...DEFAULT_RULES, treeCostVersion: 'tree-1', treeCost: 20n });
  assert.deepEqual(rulesInForce([bounds, conversion('aed-1', 3n), cost], partner, day(1)), {
    ...DEFAULT_RULES,
    contributionRuleVersion: 'points-1',
    pointsMin: 5n,
    dailyCountCap: 7n,
    pointConversionVersion: 'aed-1',
    pointValue: 3n,
    treeCostVersion: 'tree-1',
    treeCost: 20n,
  });
});

test('settlements, section 3: versions that were ever in force for a partner, none before its time, after it, or behind its own', () => {
  const versions = [
    conversion('all-1', 9n, { startsAt: day(1) }),
    conversion('all-2', 2n, { startsAt: day(3) }),
    conversion('other-1', 8n, { startsAt: day(6), partnerId: 'ptn_b' }),
    conversion('kwd-1', 8n, { startsAt: day(6), currency: 'KWD' }),
    conversion('own-1', 4n, { startsAt: day(8), partnerId: 'ptn_a' }),
    conversion('all-3', 7n, { startsAt: day(9) }),
    conversion('own-2', null, { startsAt: day(12), partnerId: 'ptn_a' }),
    conversion('own-3', 6n, { startsAt: day(20), partnerId: 'ptn_a' }),
  ];
  const between = (from: Date, to: Date) =>
    listVersionsInForce('point_conversion', versions, { partner, from, to }).map(({ version }) => version);
  assert.deepEqual(between(day(4), day(14)), ['all-2', 'own-1', 'own-2']);
  assert.deepEqual(between(day(14), day(20)), ['own-2', 'own-3']);
  assert.deepEqual(between(new Date(0), day(1)), ['all-1']);
});
