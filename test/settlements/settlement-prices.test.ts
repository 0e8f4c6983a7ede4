/** Amounts of settlements by the rules that contributions were judged by: settlements, sections 1 and 2. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { changeSettlementPolicy, createPartner } from '../../src/operations/access/manage-partner.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { pricesUnderRules } from '../../src/operations/rules/rule-prices.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { enrolled, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { QUIET_ZONE } from '../support/clock/quiet-zone.ts';
import { commandLine, signInOn } from '../support/command-line.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertPrice } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LABEL = uniqueId('value');
const partners: Partner[] = [];
const service = await testService({
  async prepare(database) {
    for (const currency of ['SAR', 'SAR', null, 'SAR', 'SAR'])
      partners.push(await createPartner(database, OWNER, 'Settled', { ...OPEN_RATES, currency, timeZone: QUIET_ZONE }));
    const price = { starts: '-1 day', price: '0.0125' };
    await insertPrice(database, 'point_conversion', { ...price, partnerId: idOf(0), label: LABEL });
    await insertPrice(database, 'point_conversion', { ...price, partnerId: idOf(4), label: uniqueId('value') });
    await insertPrice(database, 'point_conversion', { ...price, partnerId: idOf(1), label: uniqueId('no-value'), price: null });
    await database.pool.query("update partner set created_at = now() - interval '3 days' where partner_id = $1", [idOf(3)]);
    await attestRecord(database, OWNER, { kind: 'partner', id: idOf(3), reason: 'made earlier by a test' });
    for (const [starts, value] of [
      ['-5 days', '9'],
      ['-4 days', '0.05'],
      ['-2 days', '0.03'],
      ['-1 day', '0.01'],
      ['1 day', '7'],
    ] as const)
      await insertPrice(database, 'point_conversion', { partnerId: idOf(3), label: uniqueId('value'), starts, price: value });
  },
});
const { database } = service;
const folder = temporaryFolder('prices');
const settings = {
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: folder,
  AUDIT_KEY: service.database.auditKeys().map(writeNamedKey).join(','),
};
const owner = commandLine(settings);
const { runJson } = owner;

const signIn = (name: string, role: string) =>
  signInOn(owner, commandLine({ ...settings, XDG_CONFIG_HOME: join(folder, name) }), { name, role });

function idOf(index: number): string {
  return (partners[index] as Partner).partnerId;
}

async function closedAfter(index: number, points: readonly number[]) {
  const { client } = await service.newPartner({ of: partners[index] as Partner });
  for (const each of points) await client.confirm({ points: each });
  const open = (await client.call('/v1/settlements?limit=1')).body.settlements[0];
  await runJson('settlement', 'close', '--partner', idOf(index), '--settlement', open.settlement_id, '--yes');
  return { open, closed: (await client.call(`/v1/settlements/${open.settlement_id}`)).body.settlement };
}

describe('what a point is worth', HANG_LIMIT, () => {
  test('by the version of its label, exact by version and rounded once; open as closed', async () => {
    for (const { amount, currency, totals_by_version } of Object.values(await closedAfter(0, [1, 1, 99]))) {
      assert.deepEqual([amount, currency], ['1.26', 'SAR']);
      const [only] = totals_by_version;
      assert.deepEqual([only.point_conversion_version, only.amount], [LABEL, '1.2625']);
    }
  });

  test('without a value there is no amount: under a version that says so, and under none', async () => {
    for (const index of [1, 2])
      for (const { amount, currency, net_points } of Object.values(await closedAfter(index, [7])))
        assert.deepEqual([amount, currency, net_points], [null, null, 7n]);
    assert.match((await owner.run(['settlement', 'list', '--partner', idOf(1)])).stdout, /^carried out amount +-\ncurrency +-$/m);
  });

  test('a restatement reaches to the highest value that was in force since the partner was made', async () => {
    const { client } = await service.newPartner({ of: partners[3] as Partner });
    const { transaction_id: transactionId } = (await client.confirm({ points: 100 })).body.contribution;
    const why = { reasonCode: 'conversion_restatement', reasonEn: 'Another value.', reasonAr: 'قيمة أخرى.' };
    const [operator] = await enrolled(service.database, 'operator');
    const draft = (amountDelta: string) => {
      const wanted = { partnerId: idOf(3), transactionId, ...why, pointsDelta: 0n, amountDelta, reversalOf: null };
      return draftAdjustment(service.database, operator, wanted, { pricesOf: pricesUnderRules });
    };
    await assert.rejects(
      draft('4.01'),
      /leave 5\.01 SAR settled for 100 points, which are worth at most 5 SAR; 1 SAR is settled now/,
    );
    assert.equal((await draft('4')).amountDelta, 4_000_000_000_000n);
    await assert.rejects(draft('-1.01'), /leave -0\.01 SAR settled/);
  });

  test('a restatement reaches no value of a rule from before the partner had a currency: it gave none', async () => {
    const { partner, client } = await service.newPartner();
    const { partnerId } = partner;
    await asSuperuser(database.pool, async (superuser) => {
      await superuser.query("update partner set created_at = created_at - interval '3 days' where partner_id = $1", [partnerId]);
    });
    await attestRecord(database, OWNER, { kind: 'partner', id: partnerId, reason: 'made earlier by a test' });
    await changeSettlementPolicy(database, OWNER, partnerId, { currency: 'SAR' });
    const [before, label] = [uniqueId('value'), uniqueId('value')];
    await insertPrice(database, 'point_conversion', { partnerId, label: before, starts: '-2 days', price: '9' });
    await insertPrice(database, 'point_conversion', { partnerId, label, starts: '-1 day', price: '0.05' });
    const transactionId = await waitFor('contribution with a value', async () => {
      const { contribution } = (await client.confirm({ points: 100 })).body;
      return contribution.point_conversion_version === label ? (contribution.transaction_id as string) : undefined;
    });
    const [operator] = await enrolled(database, 'operator');
    const why = { reasonCode: 'conversion_restatement', reasonEn: 'Another value.', reasonAr: 'قيمة أخرى.' } as const;
    const draft = (amountDelta: string) => {
      const wanted = { partnerId, transactionId, ...why, pointsDelta: 0n, amountDelta, reversalOf: null };
      return draftAdjustment(database, operator, wanted, { pricesOf: pricesUnderRules });
    };
    await assert.rejects(draft('0.01'), /which are worth at most 5 SAR; 5 SAR is settled now/);
    assert.equal((await draft('-1')).amountDelta, -1_000_000_000_000n);
  });

  test('a partner whose start was edited in the database is restated by nobody: neither drafted nor approved nor posted', async () => {
    const { client } = await service.newPartner({ of: partners[3] as Partner });
    const { transaction_id: transactionId } = (await client.confirm({ points: 100 })).body.contribution;
    const why = { reasonCode: 'conversion_restatement', reasonEn: 'Another value.', reasonAr: 'قيمة أخرى.' } as const;
    const [operator, approver] = await enrolled(database, 'operator', 'approver');
    const prices = { pricesOf: pricesUnderRules };
    const draft = (amountDelta: string) => {
      const wanted = { partnerId: idOf(3), transactionId, ...why, pointsDelta: 0n, amountDelta, reversalOf: null };
      return draftAdjustment(database, operator, wanted, prices);
    };
    const moveStart = (by: string) =>
      asSuperuser(database.pool, async (superuser) => {
        const text = 'update partner set created_at = created_at + $2::interval where partner_id = $1';
        await superuser.query(text, [idOf(3), by]);
      });
    const [first, second] = [await draft('1'), await draft('1')];
    await approveAdjustment(database, approver, second, prices);
    await moveStart('-36 hours');
    const refused = { message: /^The partner ptn_\w+ differs from the audit: created_at/ };
    await assert.rejects(draft('500'), refused);
    await assert.rejects(approveAdjustment(database, approver, first, prices), refused);
    await assert.rejects(postAdjustment(database, operator, second, prices), refused);
    await moveStart('36 hours');
    assert.equal((await postAdjustment(database, operator, second, prices)).status, 'posted');
  });

  test('adjustment draft, show, approve and post say money and points before and after, and what the open settlement becomes', async () => {
    const { client } = await service.newPartner({ of: partners[4] as Partner });
    const { transaction_id } = (await client.confirm({ points: 200 })).body.contribution;
    await client.confirm({ points: 100 });
    const [ada, bea] = [await signIn('ada', 'operator'), await signIn('bea', 'approver')];
    const of = ['--partner', idOf(4)];
    const why = ['--transaction', transaction_id, '--reason-en', 'Twice.', '--reason-ar', 'مرتين.'];
    const refused = await ada.run([
      ...['adjustment', 'draft', ...of, ...why, '--reason', 'conversion_restatement', '--amount-delta', '-99999.50'],
    ]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /-99997 SAR settled for 200 points, which are worth at most 2\.5 SAR; 2\.5 SAR is settled now/);
    const drafted = await ada.runJson(
      'adjustment',
      'draft',
      ...of,
      ...why,
      '--reason',
      'operator_error',
      '--points-delta',
      '-160',
    );
    const { before, after, ...settlement } = drafted.effect.settlement;
    assert.deepEqual(
      { ...drafted.effect, settlement: Object.keys(settlement) },
      {
        settled_points_before: 200,
        settled_points_after: 40,
        settled_amount_before: '2.5',
        settled_amount_after: '0.5',
        settled_amount_max: '0.5',
        currency: 'SAR',
        problems: [],
        settlement: ['settlement_id', 'period_label'],
      },
    );
    assert.deepEqual([before.payable_points, before.payable_amount], [300, '3.75']);
    assert.deepEqual([after.net_points, after.payable_points, after.payable_amount], [140, 140, '1.75']);
    const id = [...of, '--adjustment', drafted.adjustment_id];
    const shown = (await ada.run(['adjustment', 'show', ...id])).stdout;
    assert.match(shown, /settled points before +200\nsettled points after +40\nsettled amount before +2\.5 SAR\n/);
    assert.match(shown, /settlement payable amount +3\.75, with it 1\.75\n/);
    assert.deepEqual((await bea.runJson('adjustment', 'approve', ...id)).effect, drafted.effect);
    const asked = (await ada.run(['adjustment', 'post', ...id])).stderr;
    assert.match(
      asked,
      /: 200 points settled, then 40; 2\.5 SAR, then 0\.5 SAR; payable on \d{4}-\d\d 3\.75 SAR, then 1\.75 SAR, and send/,
    );
    assert.deepEqual((await ada.runJson('adjustment', 'post', ...id, '--yes')).effect, drafted.effect);
    const listed = (await ada.runJson('settlement', 'list', ...of))[0];
    assert.deepEqual([listed.net_points, listed.payable_amount], [140, '1.75']);
  });
});
