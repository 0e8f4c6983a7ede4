/** Over which time a rule is previewed. Its contributions are rows of the past, which no event and no audit knows: a database of its own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { idAt } from '../../src/domain/identifiers.ts';
import { changeSettlementPolicy } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { insertPastContribution } from '../support/contributions/past-contribution.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { insertPrice } from '../support/rules.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const viewer = await signedInOperator(service, 'viewer');
const preview = async (query: Record<string, string>) =>
  (await viewer.get(`/operator/v1/rule-preview?${new URLSearchParams(query)}`)).body;

/** @param at In milliseconds. */
const insertContribution = (
  partnerId: string,
  { at, ...past }: { at: number; points: number; version?: string; isFailed?: boolean },
) => insertPastContribution(database.pool, { partnerId, transactionId: idAt('txn', at), at: new Date(at), ...past });

describe('a preview of a rule', () => {
  test('is over the calendar month of the partner that ended last, unless another is asked for', async () => {
    const { partner, client } = await service.newPartner();
    await client.confirm({ points: 7_000 });
    const { rows } = await database.pool.query(
      "select date_trunc('month', now() at time zone $1) at time zone $1 as ends, (date_trunc('month', now() at time zone $1) - interval '1 month') at time zone $1 as begins",
      [partner.timeZone],
    );
    const [{ begins, ends }] = rows;
    const moments: [at: number, points: number][] = [
      [begins.getTime() - 1, 1],
      [begins.getTime(), 20],
      [ends.getTime() - 1, 300],
      [ends.getTime(), 4_000],
    ];
    for (const [at, points] of moments) await insertContribution(partner.partnerId, { at, points });
    const wanted = { kind: 'contribution_rule', partner_id: partner.partnerId };
    const body = await preview({ ...wanted, over: 'last_month' });
    assert.deepEqual(
      [body.contribution_count, body.points, body.from, body.to],
      ['2', '320', begins.toISOString(), ends.toISOString()],
    );
    const usual = await preview(wanted);
    assert.equal(usual.points, '320');
    const ofAll = await preview({ kind: 'contribution_rule', over: 'last_month' });
    assert.deepEqual([ofAll.partner_count, ofAll.from, ofAll.to], [1, begins.toISOString(), ends.toISOString()]);
  });

  test('over all partners is from the earliest beginning of their months to the latest end', async () => {
    const { partner } = await service.newPartner();
    await database.pool.query("update partner set time_zone = 'America/New_York' where partner_id = $1", [partner.partnerId]);
    const readMonths = async () => {
      const { rows } = await database.pool.query(
        `select min((date_trunc('month', now() at time zone zone) - interval '1 month') at time zone zone) as begins,
        max(date_trunc('month', now() at time zone zone) at time zone zone) as ends
      from (select distinct time_zone as zone from partner) z`,
      );
      return [rows[0].begins.toISOString(), rows[0].ends.toISOString()];
    };
    const [wanted, told] = await waitFor('preview during which no month ended', async () => {
      const months = await readMonths();
      const { from, to } = await preview({ kind: 'contribution_rule', over: 'last_month' });
      return isDeepStrictEqual(await readMonths(), months) && [months, [from, to]];
    });
    assert.deepEqual(told, wanted);
  });

  test('of a version for all partners without a price has the amounts of each currency by themselves', async () => {
    for (const [currency, price] of [
      ['SAR', '0.5'],
      ['KWD', '0.0125'],
    ] as const) {
      const { partnerId } = (await service.newPartner()).partner;
      await changeSettlementPolicy(database, OWNER, partnerId, { currency });
      const version = uniqueId('value');
      await insertPrice(database, 'point_conversion', { partnerId, label: version, starts: '-1 day', price, currency });
      await insertContribution(partnerId, { at: Date.now() - 60_000, points: 1_000, version });
    }
    const { amount, amounts } = await preview({ kind: 'tree_cost', over: 'last_30_days' });
    assert.deepEqual(amounts, [
      { currency: 'KWD', minor_units: 3, before: '12.5', after: '12.5' },
      { currency: 'SAR', minor_units: 2, before: '500', after: '500' },
    ]);
    assert.deepEqual(amount, { before: null, after: null }, 'the one amount is known where there is one currency');
  });

  test('leaves out of a price what failed after a review; under a cap the day has room for it', async () => {
    const { partnerId } = (await service.newPartner()).partner;
    await changeSettlementPolicy(database, OWNER, partnerId, { currency: 'SAR' });
    const version = uniqueId('value');
    await insertPrice(database, 'point_conversion', {
      partnerId,
      label: version,
      starts: '-1 day',
      price: '0.5',
      currency: 'SAR',
    });
    const [{ today }] = (await database.pool.query("select date_trunc('day', now() - interval '2 days') as today")).rows;
    const made = [
      { points: 4_000, isFailed: true },
      { points: 300, isFailed: false },
    ];
    for (const [index, each] of made.entries()) {
      await insertContribution(partnerId, { ...each, at: today.getTime() + 3_600_000 + index, version });
    }
    const wanted = { partner_id: partnerId, over: 'last_30_days' };
    const price = await preview({ ...wanted, kind: 'point_conversion', point_value: '1', currency: 'SAR' });
    assert.deepEqual(
      [price.contribution_count, price.points, price.reviewed_count, price.amount],
      ['1', '300', '0', { before: '150', after: '300' }],
    );
    const capped = await preview({ ...wanted, kind: 'contribution_rule', daily_count_cap: '1' });
    assert.deepEqual(capped.bands, [{ outcome: 'confirmed', count: '2', points: '4300' }]);
  });
});
