import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cut } from '../../../test/support/pieces.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import { ServiceError } from '../service-error.ts';
import { LIST_LIMITS, type ListLimits } from './list-limits.ts';
import type { ListEntry } from './partner-list.ts';
import { readJsonList } from './read-json-list.ts';

async function read(text: string, limits?: Partial<ListLimits>): Promise<ListEntry[]> {
  return Array.fromAsync(readJsonList(cut(text), { ...LIST_LIMITS, ...limits }));
}

async function refusal(text: string, limits?: Partial<ListLimits>): Promise<[string | undefined, number | undefined]> {
  const error = await read(text, limits).then(
    () => assert.fail('the list was taken'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ServiceError && error.code === 'invalid_request');
  return [error.details[0]?.code, error.status];
}

const line = (points: string, event = 'evt-0001') =>
  `{"partner_event_id":"${event}","partner_order_ref":"O-1","points":${points}}`;

test('settlements, section 2, Reconciliation: a JSON list is read with the place of each element, and points are exact', async () => {
  const entries = await read(`\uFEFF[${line('9223372036854775807')},\n ${line('1e2')}, ${line('100.0')}]\n`);
  assert.deepEqual(
    entries.map(({ lineNo, listed }) => [lineNo, listed?.points]),
    [
      [1, POINTS_MAX],
      [2, 100n],
      [3, 100n],
    ],
  );
});

test('settlements, section 2, Reconciliation: a malformed element is told with its place while the rest is compared', async () => {
  const elements = [
    line('-1'),
    line('"250"'),
    line('1.5'),
    '5',
    'null',
    '[]',
    'nonsense',
    '',
    '{"points":1,"points":1}',
    line('7', 'x'),
    line('7'),
  ];
  const entries = await read(`[${elements.join(',')}]`);
  assert.deepEqual(
    entries.map(({ lineNo, problems }) => `${lineNo} ${problems?.map(({ field, code }) => `${field} ${code}`) ?? 'good'}`),
    [
      '1 points wrong_form',
      '2 points wrong_type',
      '3 points not_whole',
      '4 line unreadable',
      '5 line unreadable',
      '6 line unreadable',
      '7 line unreadable',
      '8 line unreadable',
      '9 line unreadable',
      '10 partner_event_id wrong_form',
      '11 good',
    ],
  );
});

test('settlements, section 2, Reconciliation: other members of an element are passed over', async () => {
  const [entry] = await read(`[{"__proto__":{"points":9},"note":{"deep":[1]},${line('7').slice(1)}]`);
  assert.deepEqual(entry?.listed, { partnerEventId: 'evt-0001', partnerOrderRef: 'O-1', points: 7n });
});

test('settlements, section 2, Reconciliation: what is no whole array is refused, and limits by name', async () => {
  assert.deepEqual(await refusal('{}'), ['not_an_array', undefined]);
  assert.deepEqual(await refusal(''), ['not_an_array', undefined]);
  assert.deepEqual(await refusal(`[${line('7')},`), ['not_ended', undefined]);
  assert.deepEqual(await refusal(`[${line('7')}] x`), ['text_after_end', undefined]);
  assert.deepEqual(await refusal(`[${line('7')},${line('7')}]`, { lines: 1 }), ['too_many_lines', 413]);
  assert.equal((await read(`[,7]`, { malformedLines: 2 })).length, 2);
  assert.deepEqual(await refusal(`[,7,]`, { malformedLines: 2 }), ['too_many_malformed_lines', undefined]);
  assert.deepEqual(await refusal(`["${'x'.repeat(200)}`, { lineCharacters: 100 }), ['line_too_long', undefined]);
  assert.deepEqual(await read('[]'), []);
});

test('settlements, section 2, Reconciliation: wherever the bytes are cut, the elements are the same', async () => {
  const text = `[${line('7')},{"note":"شجرة","partner_event_id":"ش"},${line('8')}]`;
  const whole = await read(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 300 })), async (places) => {
      assert.deepEqual(await Array.fromAsync(readJsonList(cut(text, places))), whole);
    }),
  );
});
