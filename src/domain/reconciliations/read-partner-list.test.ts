import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../service-error.ts';
import { LIST_LIMITS } from './list-limits.ts';
import { type ListFormat, readPartnerList } from './read-partner-list.ts';

const lists: Record<ListFormat, string> = {
  csv: 'partner_event_id,partner_order_ref,points\nevt-0001,O-1,250\n',
  json: '[{"partner_event_id":"evt-0001","partner_order_ref":"O-1","points":250}]',
};

async function* inBytes(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}

for (const [format, text] of Object.entries(lists) as [ListFormat, string][]) {
  test(`settlements, section 2, Reconciliation: a ${format} list says the same as in any other form`, async () => {
    const [entry] = await Array.fromAsync(readPartnerList(inBytes(text), format));
    assert.deepEqual(entry?.listed, { partnerEventId: 'evt-0001', partnerOrderRef: 'O-1', points: 250n });
  });

  test(`settlements, section 2, Reconciliation: a ${format} list of more bytes than allowed is refused by name, with 413`, async () => {
    const limits = { ...LIST_LIMITS, bytes: text.length };
    assert.equal((await Array.fromAsync(readPartnerList(inBytes(text), format, limits))).length, 1);
    const refused = Array.fromAsync(readPartnerList(inBytes(text), format, { ...limits, bytes: text.length - 1 }));
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual([error.status, error.details[0]?.code], [413, 'too_many_bytes']);
      assert.match(error.message, new RegExp(`may have at most ${text.length - 1} bytes`));
      return true;
    });
  });
}

test('settlements, section 2, Reconciliation: up to 1 000 000 lines and 100 MiB', () => {
  assert.deepEqual([LIST_LIMITS.lines, LIST_LIMITS.bytes], [1_000_000, 104_857_600]);
});
