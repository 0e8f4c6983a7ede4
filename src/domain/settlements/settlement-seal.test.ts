import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount } from '../numbers/money.ts';
import { sealClosed } from './settlement-seal.ts';
import { countTotals } from './settlement-totals.ts';

const at = (text: string) => new Date(`2026-${text}T21:00:00.000Z`);
const labels = { contributionRuleVersion: 'points-1', pointConversionVersion: 'value-1', treeCostVersion: 'tree-1' };
const noLabels = { contributionRuleVersion: null, pointConversionVersion: null, treeCostVersion: null };

test('decisions, section 9: a settlement is sealed over the same text for good, with what was carried in its total', () => {
  const counter = countTotals();
  counter.add({ lineType: 'carried_forward', points: -10n, amount: readAmount('-0.5') ?? null, ...noLabels });
  counter.add({ lineType: 'contribution', points: 250n, amount: readAmount('12.5') ?? null, ...labels });
  const period = { startsAt: at('10-31'), endsAt: at('11-30'), timeZone: 'Asia/Riyadh', label: '2026-11' };
  const statement = { csvSha256: 'a', csvBytes: 9n, lineCount: 2, previousCsvSha256: 'b', chainSha256: 'c' };
  const settlement = {
    partnerId: 'ptn_a',
    settlementId: 'stl_a',
    sequence: 2n,
    period,
    followsEvent: 7n,
    createdAt: at('10-31'),
  };
  const closing = { closedAt: at('12-01'), totals: counter.totals(), currency: 'AED', statement };
  assert.equal(
    sealClosed((text) => text, { ...settlement, ...closing }),
    '["settlement closed","ptn_a","stl_a","2","2026-10-31T21:00:00.000Z","2026-11-30T21:00:00.000Z","Asia/Riyadh","2026-11","7",' +
      '"2026-10-31T21:00:00.000Z","2026-12-01T21:00:00.000Z","1","0","250","0","-10","240","12",' +
      '[["points-1","value-1","tree-1","1","250","12.5"]],"AED","a","9",2,"b","c"]',
  );
});
