import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { POINTS_MAX } from '../numbers/points.ts';
import { type ListField, readListLine } from './partner-list.ts';

const good = { partner_event_id: 'evt-0001', partner_order_ref: 'O', points: '250' };
const problems = (values: Partial<Record<ListField, unknown>>) =>
  readListLine(7, { ...good, ...values }).problems?.map(({ field, code }) => `${field} ${code}`) ?? null;

test('settlements, section 2, Reconciliation: a line has an event, an order and points, exact over the whole of int64', () => {
  const listed = { partnerEventId: 'evt-0001', partnerOrderRef: 'O', points: 250n };
  assert.deepEqual(readListLine(7, good), { lineNo: 7, listed, problems: null });
  assert.deepEqual(readListLine(7, { ...good, points: 250n }), { lineNo: 7, listed, problems: null });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: POINTS_MAX }), (points) => {
      assert.equal(readListLine(1, { ...good, points }).listed?.points, points);
      assert.equal(readListLine(1, { ...good, points: String(points) }).listed?.points, points);
    }),
  );
});

test('settlements, section 2, Reconciliation: points that are not whole, or not from 0, the net of what was taken back, to the end of int64, are malformed', () => {
  const cells = ['00', '-0', '-1', '+1', '1e2', ' 1', '1 ', '007', 'x', 'طلب 3', '2026-11-27'];
  for (const points of [...cells, 'ن'.repeat(50), -1n, 100])
    assert.deepEqual(problems({ points }), ['points wrong_form'], String(points));
  for (const points of [Number.NaN, true, [], {}]) assert.deepEqual(problems({ points }), ['points wrong_type'], String(points));
});

test('settlements, section 2, Reconciliation: numbers of another form are told by their form: above the most, decimals, digits of another script, separators', () => {
  const forms = {
    too_large: ['9223372036854775808', '99999999999999999999', '9'.repeat(100), POINTS_MAX + 1n, Number.POSITIVE_INFINITY],
    not_whole: ['1.0', '10.00', '10,5', '5.056', '-1.5', 1.5],
    other_digits: ['٣', '٥٠٥٦', '۵۰۵۶', '٥٬٠٥٦', '٥٠٫٥', '१०'],
    separators: ['1,000', '5,056', '5,056.00', '1 000 000', '5\u00a0056', "5'056", '1,00,000', '1.000.000', '5.056,00'],
  };
  for (const [code, values] of Object.entries(forms))
    for (const points of values) assert.deepEqual(problems({ points }), [`points ${code}`], String(points));
});

test('settlements, section 2, Reconciliation: all problems of a line are told, and no value is repeated', () => {
  assert.deepEqual(problems({ partner_event_id: '', partner_order_ref: null, points: undefined }), [
    'partner_event_id missing',
    'partner_order_ref missing',
    'points missing',
  ]);
  const { problems: found } = readListLine(1, { partner_event_id: 'ada@host', partner_order_ref: '00 44 20', points: 'Ada' });
  assert.deepEqual(
    found?.map(({ code }) => code),
    ['wrong_form', 'wrong_form', 'wrong_form'],
  );
  assert.doesNotMatch(JSON.stringify(found), /ada@host|00 44 20|Ada/);
});
