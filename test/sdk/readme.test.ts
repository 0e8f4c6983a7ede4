/** The README of the SDK is a program: it runs against a real service, as it stands. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { ROOT } from '../support/document-blocks.ts';
import { withClosed } from '../support/environment.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What the README leaves to the partner. */
const PARTNER = `
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
const said: unknown[] = [];
const deductAndStore = async (stored: Intent) => void said.push(['stored', stored.orderRef]);
const markConfirmed = (_intent: Intent, transactionId: string) => void said.push(['confirmed', transactionId]);
const keepUntil = (_intent: Intent, retryAt: Date) => void said.push(['kept', retryAt]);
const tellSomebody = (_intent: Intent, code: string, message: string, _retryAt: Date) => void said.push(['refused', code, message]);
const giveBackOnce = async (eventId: string, points: bigint) => void said.push(['restored', eventId, String(points)]);
const findIntent = (eventId: string | null) => (eventId === intent.eventId ? intent : undefined);
const tellOfUnknown = (eventId: string, points: bigint) => void said.push(['unknown event', eventId, String(points)]);
const storedIntentOf = (eventId: string | null): Intent => PartnerImpact.readIntent({ ...intent, eventId });
const day = new Date();
const startOf = (time: Date) => new Date(time.getTime() - 86_400_000);
const notGivenBackOf = (_day: Date) => [intent];
async function* yourContributions() { yield { eventId: 'event-nobody-knows', orderRef: 'order-10293', points: 250n }; }
const { settlementId = '' } = process.env;
const secret = 'whsec_0123456789abcdef0123456789abcdef';
const connection = new DatabaseSync(':memory:');
`;

/** Behind the README: an event of a contribution that another system of the partner confirmed, and one behind it. */
const UNKNOWN_EVENT = `
const { failedEvent, signedRequest } = await import('@partner-impact/sdk/testing');
const position = () => BigInt(Number(connection.prepare('select sequence from partner_impact_position').get()?.sequence));
const next = position() + 1n;
for (const sequence of [next, next + 1n]) await receiver(signedRequest({ secret, event: failedEvent(sequence) }));
await receiver.settled();
said.push(['handled', Number(position() - next)]);
`;

test('the README runs as it stands', async () => {
  buildSdk();
  const service = await testService({ roles: ['api', 'webhooks', 'schedule'] });
  const partner = await withClosed(service, 2);
  const [closed] = partner.closed;
  const folder = temporaryFolder('sdk-readme');
  const blocks = [...readFileSync(join(ROOT, 'sdk/README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, block]) => block,
  );
  assert.equal(blocks.length, 4);
  mkdirSync(join(folder, 'node_modules/@partner-impact'), { recursive: true });
  symlinkSync(join(ROOT, 'sdk'), join(folder, 'node_modules/@partner-impact/sdk'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const source = `${PARTNER}${blocks.join('\n')}\n${UNKNOWN_EVENT}\nconsole.log(JSON.stringify(said));\n`;
  writeFileSync(join(folder, 'readme.ts'), source);
  const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY: partner.key.apiKey, settlementId: closed?.settlementId };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'readme.ts')], { env });
  const [months, result] = [stdout.trimEnd().split('\n').slice(0, -1), JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')];
  assert.match(months.at(-1) ?? '', /^\d{4}-\d\d.* 500n$/);
  const { body } = await partner.client.call('/v1/events?limit=500');
  const recorded = body.events.filter(
    ({ data }: { data: { contribution?: { partner_order_ref: string } } }) =>
      data.contribution?.partner_order_ref === 'order-10293',
  );
  assert.equal(recorded.length, 1);
  assert.deepEqual(result.slice(0, 2), [
    ['stored', 'order-10293'],
    ['confirmed', recorded[0].data.contribution.transaction_id],
  ]);
  // The event that its own list has alone is sent again with the same key, which is of another event: refused, nothing restored.
  assert.deepEqual(
    result.slice(2).map(([word, code]: string[]) => [word, code]),
    [
      ['refused', 'idempotency_conflict'],
      ['unknown event', result[3]?.[1]],
      ['unknown event', result[4]?.[1]],
      ['handled', 1],
    ],
  );
});
