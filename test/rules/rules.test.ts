/** Contribution rules in the database: settlements, section 1; decisions, section 1, order of checks, and section 4. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { supportTexts } from '../../src/domain/customer-texts.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import type { Database } from '../../src/store/database.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { countByStatus, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { countRows } from '../support/records.ts';
import { insertContributionRule, insertPrice } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const partners: Record<string, Partner> = {};
const PRICES = { old: { value: '0.05', cost: '20' }, new: { value: '0.0001', cost: '0.003' } } as const;

const service = await testService({
  async prepare(database) {
    for (const name of ['bounded', 'threshold', 'everything', 'changing', 'general'])
      partners[name] = await createPartner(database, OWNER, name, {
        ...OPEN_RATES,
        currency: name === 'changing' ? 'SAR' : null,
      });
    const of = (name: string) => ({ partnerId: idOf(name) });
    await insertContributionRule(database, { ...of('bounded'), label: 'bounds-0', starts: '-2 days', points_max: 5 });
    await insertContributionRule(database, { ...of('bounded'), label: 'bounds-1', points_min: 10, points_max: 1_000 });
    await insertContributionRule(database, { ...of('bounded'), label: 'bounds-2', starts: '1 day', points_max: 5 });
    await insertContributionRule(database, { ...of('threshold'), label: 'threshold-1', review_threshold: 100 });
    await insertContributionRule(database, { ...of('everything'), label: 'everything-1', reviews_everything: true });
    await insertContributionRule(database, { label: 'general-1', points_min: 2 });
    await insertPrices(database, 'old', '-1 day');
  },
});

/** What a point is worth and a tree costs for one of the partners. @returns Their start. */
async function insertPrices(database: Database, age: 'old' | 'new', starts: string): Promise<Date> {
  const { value, cost } = PRICES[age];
  const partnerId = idOf('changing');
  const start = await insertPrice(database, 'point_conversion', { partnerId, label: `value-${age}`, starts, price: value });
  return insertPrice(database, 'tree_cost', { partnerId, label: `tree-${age}`, starts: start, price: cost });
}

interface RuledContribution {
  readonly point_conversion_version: string;
  readonly tree_cost_version: string;
  readonly created_at: string;
  readonly points: bigint;
  readonly expected_environmental_support: object;
}

function idOf(name: string): string {
  return (partners[name] as Partner).partnerId;
}

const clientOf = async (name: string) => (await service.newPartner({ of: partners[name] as Partner })).client;

test('mid-stream: whatever load there is, each contribution is under the versions that were in force at its arrival, with exact texts', async () => {
  const client = await clientOf('changing');
  // Later than the service looks for new versions.
  const changesAt = await insertPrices(service.database, 'new', '6 seconds');
  const answers: { sentAt: number; endedAt: number; contribution: RuledContribution }[] = [];
  const isNew = ({ point_conversion_version }: RuledContribution) => point_conversion_version === 'value-new';
  let wanted = Number.POSITIVE_INFINITY;
  const work = async () => {
    while (answers.length < wanted) {
      const sentAt = performance.now();
      const { status, body, text } = await client.confirm({ points: 2 + (answers.length % 700) });
      assert.equal(status, 201, text);
      answers.push({ sentAt, endedAt: performance.now(), contribution: body.contribution });
      if (isNew(body.contribution) && wanted === Number.POSITIVE_INFINITY) wanted = answers.length + 500;
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  const firstNewEndedAt = Math.min(...answers.filter(({ contribution }) => isNew(contribution)).map(({ endedAt }) => endedAt));
  for (const { sentAt, contribution } of answers) {
    const age = isNew(contribution) ? 'new' : 'old';
    const { tree_cost_version, created_at, points, expected_environmental_support: texts } = contribution;
    assert.equal(tree_cost_version, `tree-${age}`, 'both started at one instant');
    if (Date.parse(created_at) < changesAt.getTime()) assert.equal(age, 'old', 'before the start');
    if (sentAt > firstNewEndedAt) assert.equal(age, 'new', 'never back');
    // 0.05 / 20 is 1 / 400, 0.0001 / 0.003 is 1 / 30.
    const { summaryEn, summaryAr } = supportTexts(points, points / (age === 'old' ? 400n : 30n));
    assert.deepEqual(texts, { summary_en: summaryEn, summary_ar: summaryAr });
  }
  assert.ok(answers.some(({ contribution }) => !isNew(contribution)));
});

describe('the version in force', () => {
  for (const [points, status] of [
    [9, 400],
    [10, 201],
    [1_000, 201],
    [1_001, 400],
  ] as const) {
    test(`bounds of 10 to 1000: ${points} points are ${status}`, async () => {
      const client = await clientOf('bounded');
      const before = await countRows(service.database, idOf('bounded'));
      const answer = await client.confirm({ points });
      assert.equal(answer.status, status);
      if (status === 201) return assert.equal(answer.body.contribution.contribution_rule_version, 'bounds-1');
      assert.deepEqual([answer.body.error.code, detailCodes(answer)['points']], ['invalid_point_amount', 'out_of_bounds']);
      assert.deepEqual(await countRows(service.database, idOf('bounded')), before);
    });
  }

  test('a rule for all partners holds for those without one of their own, new ones too', async () => {
    for (const client of [await clientOf('general'), (await service.newPartner()).client]) {
      assertError(await client.confirm({ points: 1 }), 'invalid_point_amount');
      assert.equal((await client.confirm({ points: 2 })).body.contribution.contribution_rule_version, 'general-1');
    }
  });
});

describe('what an operator looks at', () => {
  const reviewOf = async (transactionId: string) =>
    (
      await service.database.pool.query('select reason, counted_on from contribution_review where transaction_id = $1', [
        transactionId,
      ])
    ).rows;

  for (const [points, status] of [
    [99, 201],
    [100, 202],
    [101, 202],
  ] as const) {
    test(`a threshold of 100: ${points} points are ${status}`, async () => {
      const answer = await (await clientOf('threshold')).confirm({ points });
      assert.equal(answer.status, status);
      const { transaction_id, contribution_rule_version } = answer.body.contribution;
      assert.equal(contribution_rule_version, 'threshold-1');
      assert.deepEqual(await reviewOf(transaction_id), status === 202 ? [{ reason: 'review_threshold', counted_on: null }] : []);
    });
  }

  test('many at once, some of them replayed: each that is reviewed has its reason, once', async () => {
    const client = await clientOf('threshold');
    const confirmations = Array.from({ length: 40 }, (_, index) => ({ ...newConfirmation(), points: index % 2 === 0 ? 5 : 500 }));
    const twice = confirmations.flatMap((fields) => [[fields, uniqueId('key')] as const].flatMap((each) => [each, each]));
    const answers = await Promise.all(twice.map(([fields, key]) => client.confirm(fields, { 'idempotency-key': key })));
    assert.deepEqual(countByStatus(answers), { 201: 40, 202: 40 });
    const pending = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.contribution.transaction_id));
    assert.equal(pending.size, 20);
    for (const id of pending) assert.deepEqual(await reviewOf(id), [{ reason: 'review_threshold', counted_on: null }]);
  });

  test('contribution_pending: everything of a partner that is reviewed holds its order', async () => {
    const client = await clientOf('everything');
    const { partner_order_ref } = newConfirmation();
    const first = await client.confirm({ partner_order_ref });
    assert.equal(first.status, 202);
    assert.deepEqual(await reviewOf(first.body.contribution.transaction_id), [
      { reason: 'reviews_everything', counted_on: null },
    ]);
    const second = await client.confirm({ partner_order_ref });
    assertError(second, 'contribution_pending');
  });
});
