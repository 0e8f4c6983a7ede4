/** Amounts of settlements by the rules that contributions were judged by: settlements, sections 1 and 2. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPartner } from '../src/operations/manage-partner.ts';
import type { Partner } from '../src/store/partner.ts';
import { OWNER } from './support/actor.ts';
import { uniqueId } from './support/client.ts';
import { commandLine } from './support/command-line.ts';
import { insertPrice } from './support/rules.ts';
import { OPEN_RATES, testService } from './support/service.ts';

const LABEL = uniqueId('value');
const partners: Partner[] = [];
const service = await testService({
  async prepare(database) {
    for (const currency of ['SAR', 'SAR', null])
      partners.push(await createPartner(database, OWNER, 'Settled', { ...OPEN_RATES, currency }));
    const price = { starts: '-1 day', price: '0.0125' };
    await insertPrice(database, 'point_conversion', { ...price, partnerId: idOf(0), label: LABEL });
    await insertPrice(database, 'point_conversion', { ...price, partnerId: idOf(1), label: uniqueId('no-value'), price: null });
  },
});
const { runJson } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: mkdtempSync(join(tmpdir(), 'partner-impact-prices-')),
});

function idOf(index: number): string {
  return (partners[index] as Partner).partnerId;
}

async function closedAfter(index: number, points: readonly number[]) {
  const { client } = await service.newPartner({ of: partners[index] as Partner });
  for (const each of points) await client.confirm({ points: each });
  const open = (await client.call('/v1/settlements?limit=1')).body.settlements[0];
  await runJson('settlement', 'close', '--partner', idOf(index), '--yes');
  return { open, closed: (await client.call(`/v1/settlements/${open.settlement_id}`)).body.settlement };
}

describe('what a point is worth', { timeout: 60_000 }, () => {
  test('by the version of its label, exact by version and rounded once; open as closed', async () => {
    for (const { amount, currency, totals_by_version } of Object.values(await closedAfter(0, [1, 1, 99]))) {
      assert.deepEqual([amount, currency], ['1.26', 'SAR']);
      const [only] = totals_by_version;
      assert.deepEqual([only.point_conversion_version, only.amount], [LABEL, '1.2625']);
    }
  });

  test('without a value there is no amount: under a version that says so, and under none', async () => {
    for (const index of [1, 2])
      for (const { amount, net_points } of Object.values(await closedAfter(index, [7])))
        assert.deepEqual([amount, net_points], [null, 7n]);
  });
});
