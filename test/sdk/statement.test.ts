/** The statement of the SDK to a program that takes its pieces slowly. What a service gives is in resources.test.ts. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { PartnerImpact } from '../../sdk/src/index.ts';

const CSV = 'contribution,points\ntxn_1,250\n';

test('verified goes on after a broken connection, although the program took longer than deadlineMs for a piece', async (t) => {
  const start = performance.now();
  let passedMs = 0;
  t.mock.method(performance, 'now', () => start + passedMs);
  const files = [brokenAfter(CSV.slice(0, 12)), new Response(CSV)];
  const csvSha256 = createHash('sha256').update(CSV).digest('hex');
  const fetch = async (address: string) =>
    address.endsWith('.csv')
      ? (files.shift() as Response)
      : Response.json({ settlement: { settlement_id: 'stl_12345678', statement: { csv_sha256: csvSha256 } }, request: {} });
  const impact = new PartnerImpact({
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'pi_sandbox_test',
    fetch: fetch as typeof globalThis.fetch,
  });
  let text = '';
  for await (const piece of impact.settlements.verified('stl_12345678')) {
    text += Buffer.from(piece).toString();
    passedMs += 120_000;
  }
  assert.deepEqual([text, files.length], [CSV, 0]);
});

/** A body that breaks off when its first piece was taken. */
function brokenAfter(text: string): Response {
  const pieces = [new TextEncoder().encode(text)];
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = pieces.shift();
    if (piece) controller.enqueue(piece);
    else controller.error(new TypeError('terminated'));
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
}
