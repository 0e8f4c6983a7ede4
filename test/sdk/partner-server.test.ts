/** The partner's server of examples/ over HTTP: what it answers to a customer and to a webhook. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { assertRefusesPrintedSecrets } from '../support/sdk/printed-secrets.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

buildSdk();
const program = join(ROOT, 'examples/partner-server.ts');
const service = await testService();
const { key } = await service.newPartner();
const port = await freePort();
const settings = {
  BASE_URL: service.baseUrl,
  API_KEY: key.apiKey,
  FOLDER: temporaryFolder('partner-server'),
  PORT: String(port),
};
const server = spawn(process.execPath, [program], {
  env: { ...process.env, ...settings },
  stdio: ['ignore', 'ignore', 'pipe'],
});
let printed = '';
server.stderr.setEncoding('utf8').on('data', (text) => {
  printed += text;
});
after(() => server.kill('SIGKILL'));
const url = `http://127.0.0.1:${port}`;
await waitFor('server', () => fetch(`${url}/hook`).catch(() => undefined));

test('without a secret it accepts no event, whatever text of its program signs it', () =>
  assertRefusesPrintedSecrets(program, `${url}/hook`));

test('tells what became of a gift, and refuses a second one for its order', HANG_LIMIT, async () => {
  const give = async (order: string, points = '10') =>
    (await fetch(`${url}/gifts/${order}/${points}`, { method: 'POST' })).status;
  assert.deepEqual([await give('order-server-1'), await give('order-server-1')], [200, 409]);
  assert.equal(await give('SIM-FAILED-server'), 422);
  assert.equal(await give('SIM-PENDING-server'), 202);
  for (const points of ['', 'x', '1000']) assert.equal(await give('order-server-2', points), 409, points);
});

test('gives nothing for a request that is no POST, such as that of a link', async () => {
  const database = new DatabaseSync(join(settings.FOLDER, 'wallet.db'), { readOnly: true });
  after(() => database.close());
  for (const method of ['GET', 'HEAD', 'PUT']) {
    const { status, headers } = await fetch(`${url}/gifts/order-server-${method}/10`, { method });
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method);
  }
  const gifts = database.prepare(
    "select * from gift where order_ref in ('order-server-GET', 'order-server-HEAD', 'order-server-PUT')",
  );
  assert.deepEqual(gifts.all(), []);
});

test('goes on after a look at what is due that fails', HANG_LIMIT, async () => {
  const database = new DatabaseSync(join(settings.FOLDER, 'wallet.db'), { timeout: 10_000 });
  after(() => database.close());
  await fetch(`${url}/gifts/order-server-4/10`, { method: 'POST' });
  database.exec(`begin immediate;
    update gift set due_ms = 0, status = 'stored' where order_ref = 'order-server-4';
    create trigger no_look before update of due_ms on gift when new.status = old.status begin select raise(abort, 'no look'); end;
    commit`);
  await waitFor(
    'word of the look',
    () => printed.includes('no look'),
    () => printed,
  );
  database.exec('drop trigger no_look');
  await waitFor(
    'confirmed gift',
    () => database.prepare("select 1 from gift where order_ref = 'order-server-4' and status = 'confirmed'").get(),
    () => printed,
  );
});

test('a gift whose confirmation ends with an error stays stored, and is not taken for a refused click', async () => {
  const database = new DatabaseSync(join(settings.FOLDER, 'wallet.db'));
  after(() => database.close());
  // The outcome cannot be written.
  database.exec(`create trigger no_outcome before update of status on gift when new.order_ref = 'order-server-3'
    begin select raise(abort, 'not now'); end`);
  assert.equal((await fetch(`${url}/gifts/order-server-3/10`, { method: 'POST' })).status, 202);
  const gift = database.prepare("select status, event_id from gift where order_ref = 'order-server-3'").get();
  assert.equal(gift?.['status'], 'stored');
  await waitFor(
    'word of what failed',
    () => printed.includes(`${gift?.['event_id']} Error: not now`),
    () => printed,
  );
  printed = '';
  database.exec("update gift set due_ms = 0 where order_ref = 'order-server-3'");
  await waitFor(
    'word of the second attempt',
    () => printed.includes(`${gift?.['event_id']} Error: not now`),
    () => printed,
  );
});
