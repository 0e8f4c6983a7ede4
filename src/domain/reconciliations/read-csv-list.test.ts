import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cut } from '../../../test/support/pieces.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import { ServiceError } from '../service-error.ts';
import { csvRecord } from '../settlements/statement/csv-record.ts';
import { LIST_LIMITS, type ListLimits } from './list-limits.ts';
import type { ListEntry } from './partner-list.ts';
import { readCsvList } from './read-csv-list.ts';

const HEADER = 'partner_event_id,partner_order_ref,points\n';

async function read(text: string, limits?: Partial<ListLimits>): Promise<ListEntry[]> {
  return Array.fromAsync(readCsvList(cut(text), { ...LIST_LIMITS, ...limits }));
}

/** `line event points`, or `line` and the problems. */
const shown = ({ lineNo, listed, problems }: ListEntry) =>
  listed && 'partnerEventId' in listed
    ? `${lineNo} ${listed.partnerEventId} ${listed.points}`
    : `${lineNo} ${problems?.map(({ field, code }) => `${field} ${code}`)}`;

async function refusal(text: string, limits?: Partial<ListLimits>): Promise<[string | undefined, number | undefined, string]> {
  const error = await read(text, limits).then(
    () => assert.fail('the list was taken'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ServiceError);
  assert.equal(error.code, 'invalid_request');
  return [error.details[0]?.code, error.status, error.message];
}

test('settlements, section 2, Reconciliation: a CSV list is read with its line numbers, and points are exact', async () => {
  const entries = await read(`${HEADER}evt-0001,O-1,250\nevt-0002,O-2,9223372036854775807\n`);
  assert.deepEqual(entries.map(shown), ['2 evt-0001 250', '3 evt-0002 9223372036854775807']);
  assert.deepEqual(entries[0]?.listed, { partnerEventId: 'evt-0001', partnerOrderRef: 'O-1', points: 250n });
});

test('settlements, section 2, Reconciliation: CSV as spreadsheets write it is read', async () => {
  const crlf = `\uFEFF"Partner_Event_Id";Points; PARTNER_ORDER_REF;note\r\nevt-0001;250;O-1;"two\r\nlines"\r\n\r\n;;;\r\nevt-0002;3;"O-2";`;
  assert.deepEqual((await read(crlf)).map(shown), ['2 evt-0001 250', '6 evt-0002 3']);
  assert.deepEqual((await read('points\tpartner_order_ref\tpartner_event_id\n5\tO\tevt-0001')).map(shown), ['2 evt-0001 5']);
  assert.deepEqual((await read(`${HEADER}evt-0001,O-1,1\r\nevt-0002,O-2,2\nevt-0003,O-3,3\r\n`)).map(shown), [
    '2 evt-0001 1',
    '3 evt-0002 2',
    '4 evt-0003 3',
  ]);
});

test('settlements, section 2, Reconciliation: a list in UTF-16 is read by its byte order mark, wherever it is cut', async () => {
  const text =
    '\uFEFFpartner_event_id\tpartner_order_ref\tpoints\tملاحظة\r\nevt-0001\tO-1\t250\tشكرًا 🌳\r\nevt-0002\tO-2\t3\t\r\n';
  const littleEndian = Buffer.from(text, 'utf16le');
  for (const bytes of [littleEndian, Buffer.from(littleEndian).swap16(), Buffer.from(text)])
    for (const places of [[], [1], [2, 3], Array.from(bytes.keys())]) {
      const entries = await Array.fromAsync(readCsvList(cut(bytes, places)));
      assert.deepEqual(entries.map(shown), ['2 evt-0001 250', '3 evt-0002 3']);
    }
});

test('settlements, section 2, Reconciliation: a malformed line is told with its number while the rest is compared', async () => {
  const text = `${HEADER}evt-0001,O-1,-1\nevt,O 2,3\nevt-0003\nevt-0004,O-4,"1"2\nev"t-0005,O-5,5\n"evt-0006",O-6,6,more,cells\nevt-0007,O-7,7`;
  assert.deepEqual((await read(text)).map(shown), [
    '2 points wrong_form',
    '3 partner_event_id wrong_form,partner_order_ref wrong_form',
    '4 partner_order_ref missing,points missing',
    '5 points wrong_form',
    '6 partner_event_id wrong_form',
    '7 line too_many_values',
    '8 evt-0007 7',
  ]);
  assert.deepEqual((await Array.fromAsync(readCsvList(cut(`${HEADER}evt-\xff001,O,1\n`)))).map(shown), [
    '2 partner_event_id wrong_form',
  ]);
});

test('settlements, section 2, Reconciliation: points with a separator of thousands and without quotation marks are never read as fewer', async () => {
  const text = `${HEADER}evt-0001,O-1,5,056\nevt-0002,O-2,5,,\nevt-0003,O-3,"5,056"\n`;
  assert.deepEqual((await read(text)).map(shown), ['2 line too_many_values', '3 evt-0002 5', '4 points separators']);
  const between = 'partner_event_id,points,partner_order_ref\nevt-0001,5,056,O-1\n';
  assert.deepEqual((await read(between)).map(shown), ['2 line too_many_values']);
  const withMore = 'partner_event_id,partner_order_ref,points,note\nevt-0001,O-1,5,056\n';
  assert.deepEqual((await read(withMore)).map(shown), ['2 evt-0001 5'], 'a column of its own');
});

test('settlements, section 2, Reconciliation: spaces around the values of a line are ignored, as in the header row', async () => {
  const text =
    'partner_event_id ; partner_order_ref ; points \n evt-0001 ;\tO-1 ; 5 \n"evt-0002 ";" O-2";"\u00a07"\n  ; ; \nevt 0003;O-3;7\n';
  assert.deepEqual((await read(text)).map(shown), ['2 evt-0001 5', '3 evt-0002 7', '5 partner_event_id wrong_form']);
});

test('settlements, section 2, Reconciliation: a list without its columns is refused as a whole', async () => {
  assert.deepEqual(await refusal(''), [
    'missing_column',
    undefined,
    'The header row of the list lacks partner_event_id, partner_order_ref, points.',
  ]);
  assert.deepEqual(await refusal('partner_event_id,points\nevt-0001,1\n'), [
    'missing_column',
    undefined,
    'The header row of the list lacks partner_order_ref.',
  ]);
  assert.equal((await refusal(`points,${HEADER}`))[0], 'repeated_column');
  assert.deepEqual(await read(HEADER), []);
});

test('settlements, section 2, Reconciliation: a quotation mark that is not closed never hides the lines behind it', async () => {
  const [code, , message] = await refusal(`${HEADER}evt-0001,O-1,1\n"evt-0002,O-2,2\nevt-0003,O-3,3\n`);
  assert.deepEqual([code, message], ['open_quote', 'A quotation mark in line 3 of the list is not closed.']);
});

test('settlements, section 2, Reconciliation: limits are refused by name', async () => {
  const lines = `${HEADER}evt-0001,O-1,1\nevt-0002,O-2,2\n`;
  assert.equal((await read(lines, { lines: 2 })).length, 2);
  assert.deepEqual(await refusal(`${lines}evt-0003,O-3,3`, { lines: 2 }), [
    'too_many_lines',
    413,
    'A list may have at most 2 lines. Compare your records with the statement of the settlement, or with its lines.',
  ]);
  const long = await refusal(`${lines}${'x'.repeat(200)},O,1\n`, { lineCharacters: 100 });
  assert.deepEqual(long, ['line_too_long', undefined, 'Line 4 of the list has more than 100 characters.']);
});

test('settlements, section 2, Reconciliation: blank lines and malformed lines are passed over and told up to a bound, then the list is refused', async () => {
  const bounds = { blankLines: 3, malformedLines: 2 };
  const taken = `${HEADER}\n\r\n,,\nbad,O-1,1\nbad\nevt-0003,O-3,3\n`;
  assert.deepEqual((await read(taken, bounds)).map(shown), [
    '5 partner_event_id wrong_form',
    '6 partner_event_id wrong_form,partner_order_ref missing,points missing',
    '7 evt-0003 3',
  ]);
  assert.deepEqual(await refusal(`${taken}\n`, bounds), [
    'too_many_blank_lines',
    undefined,
    'The list has more than 3 blank lines. Remove them, then send it again.',
  ]);
  assert.deepEqual(await refusal(`${taken}evt-0004,O-4,x\n`, bounds), [
    'too_many_malformed_lines',
    undefined,
    'The list has more than 2 malformed lines. The first is line 5: partner_event_id must be a text of 8 to 128 characters out of A-Z a-z 0-9 . _ : -. Correct the format of the list, then send it again.',
  ]);
  assert.equal((await refusal('\n'.repeat(4), bounds))[0], 'too_many_blank_lines');
});

test('settlements, section 2, Reconciliation: quotation marks, delimiters and ends of lines in quoted cells are text', async () => {
  const text = `note,${HEADER}"a ""b"", c",evt-0001,O-1,1\r\n"one\r\ntwo"\r\n"",evt-0002,"O-2","2"\nx"y,evt-0003,O-3,"3"`;
  assert.deepEqual((await read(text)).map(shown), [
    '2 evt-0001 1',
    '3 partner_event_id missing,partner_order_ref missing,points missing',
    '5 evt-0002 2',
    '6 evt-0003 3',
  ]);
});

test('settlements, section 2, Reconciliation: wherever the bytes are cut and however cells are quoted, the lines are the same', async () => {
  const identifier = fc.stringMatching(/^[A-Za-z0-9._:-]{8,20}$/);
  const line = fc.record({
    event: identifier,
    order: identifier,
    points: fc.bigInt({ min: 1n, max: POINTS_MAX }),
    note: fc.string(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat({ max: 2_000 })), async (lines, places) => {
      const records = lines.map(({ event, order, points, note }) => csvRecord([note, event, String(points), order]));
      const text = `note,partner_event_id,points,partner_order_ref\n${records.join('')}`;
      const entries = await Array.fromAsync(readCsvList(cut(text, places)));
      assert.deepEqual(
        entries.map(({ listed }) => listed),
        lines.map(({ event, order, points }) => ({ partnerEventId: event, partnerOrderRef: order, points })),
      );
    }),
  );
});

test('settlements, section 2, Reconciliation: an error of the source reaches the reader, and a reader that stops ends the source', async () => {
  const failing = async function* () {
    yield Buffer.from(HEADER);
    throw new Error('connection lost');
  };
  await assert.rejects(Array.fromAsync(readCsvList(failing())), /connection lost/);
  let hasEnded = false;
  const endless = async function* () {
    try {
      yield Buffer.from(HEADER);
      while (true) yield Buffer.from('evt-0001,O-1,1\n');
    } finally {
      hasEnded = true;
    }
  };
  for await (const _ of readCsvList(endless())) break;
  await new Promise(setImmediate);
  assert.ok(hasEnded);
});
