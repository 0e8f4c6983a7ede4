import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codes } from 'currency-codes';
import { findMinorUnits, isCurrency } from './currency.ts';

test('settlements, section 2, amount: the minor units are those of ISO 4217', () => {
  const examples = {
    AED: 2,
    SAR: 2,
    QAR: 2,
    EGP: 2,
    USD: 2,
    EUR: 2,
    KWD: 3,
    BHD: 3,
    OMR: 3,
    JOD: 3,
    TND: 3,
    JPY: 0,
    KRW: 0,
    CLF: 4,
  };
  for (const [currency, digits] of Object.entries(examples)) assert.equal(findMinorUnits(currency), digits, currency);
});

test('settlements, section 2, amount: all currencies but these have two minor units', () => {
  const others: Record<number, string> = {
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  };
  const found = Map.groupBy(codes().filter(isCurrency), (currency) => findMinorUnits(currency));
  for (const [digits, currencies] of Object.entries(others))
    assert.deepEqual(found.get(Number(digits))?.sort(), currencies.split(' '), digits);
  assert.deepEqual([...found.keys()].sort(), [0, 2, 3, 4]);
  assert.ok(codes().filter(isCurrency).length > 160);
});

test('settlements, section 2, amount: where the runtime differs from ISO 4217, ISO 4217 counts', () => {
  const ofRuntime = (currency: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
  assert.deepEqual([findMinorUnits('IQD'), ofRuntime('IQD')], [3, 0]);
  assert.deepEqual([findMinorUnits('LBP'), ofRuntime('LBP')], [2, 0]);
});

test('settlements, section 2, currency: only a currency of ISO 4217 in capital letters is one', () => {
  for (const value of ['aed', 'Aed', 'AE', 'AEDD', 'ZZZ', '', 'AED ', '784', null, undefined, 784, ['AED']])
    assert.ok(!isCurrency(value), String(value));
  for (const value of ['XXX', 'XTS', 'XAU', 'XDR']) assert.ok(!isCurrency(value), value);
});
