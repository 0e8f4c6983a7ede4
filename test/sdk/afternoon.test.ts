/** The guides of an afternoon are programs: they run against a real service, as they stand, and turn the checklist green. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../reliability/harness/free-port.ts';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { READINESS_CHECKS } from '../../src/domain/sandbox/readiness.ts';
import { SAMPLE_FAULTS } from '../../src/domain/sandbox/sample-fault.ts';
import { SCENARIO_PREFIXES } from '../../src/domain/sandbox/scenarios.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { commandLine } from '../support/command-line.ts';
import { listBlocks, ROOT, readDocument } from '../support/document-blocks.ts';
import { assertRefusesPrintedSecrets } from '../support/sdk/printed-secrets.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

buildSdk();
const service = await testService({ env: WEBHOOK_ENV, roles: ['api', 'webhooks', 'schedule'] });
const { partner, client, key } = await service.newPartner({ key: { permission: 'manage' } });
const folder = temporaryFolder('afternoon');
mkdirSync(join(folder, 'node_modules/@partner-impact'), { recursive: true });
symlinkSync(join(ROOT, 'sdk'), join(folder, 'node_modules/@partner-impact/sdk'));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY: key.apiKey, NODE_NO_WARNINGS: '1' };
/** Writes the program of a page under the name that the page gives, and with which it runs it. @returns Its path. */
function programOf(page: string): string {
  const said = /`([\w-]+\.ts)`[\s\S]*?\bnode \1/.exec(readDocument(`docs/afternoon/${page}.md`));
  assert.ok(said, `${page} says neither the name of its program nor how it is run`);
  const programs = listBlocks().filter(({ path, tag }) => path === `docs/afternoon/${page}.md` && tag === 'ts');
  assert.equal(programs.length, 1, page);
  const path = join(folder, String(said[1]));
  writeFileSync(path, programs[0]?.text ?? '');
  return path;
}

async function run(page: string, ...args: (string | Record<string, string>)[]): Promise<string[]> {
  const settings = args.find((arg) => typeof arg !== 'string');
  const words = args.filter((arg) => typeof arg === 'string');
  const options = { env: { ...env, ...settings }, cwd: folder };
  const { stdout } = await promisify(execFile)(process.execPath, [programOf(page), ...words], options);
  return stdout.trimEnd().split('\n');
}

/** The commands of a page, as a reader types them. */
async function type(page: string, holds = '', address = ''): Promise<string> {
  const blocks = listBlocks().filter(({ path, tag }) => path === `docs/afternoon/${page}.md` && tag === 'sh');
  const [block] = blocks.filter(({ text }) => text.includes(holds));
  const text = block?.text.replace('https://partner.example/hook', address) ?? 'false';
  const { stdout } = await promisify(execFile)('bash', ['-ec', text], { env, cwd: folder });
  return stdout;
}

async function deliveriesOf(): Promise<{ event_id: string; sequence: bigint | null; status: string; attempts: number }[]> {
  const { webhook_endpoints: endpoints } = (await client.call('/v1/webhook-endpoints')).body;
  return (await client.call(`/v1/webhook-endpoints/${endpoints[0].endpoint_id}/deliveries`)).body.deliveries;
}

function changeWallet(sql: string, ...values: number[]): Record<string, unknown>[] {
  const wallet = new DatabaseSync(join(folder, 'wallet.db'));
  try {
    return wallet.prepare(sql).all(...values);
  } finally {
    wallet.close();
  }
}

/** Time enters as data. */
function makeDue(): void {
  changeWallet("update gift set due_ms = 0 where status not in ('confirmed', 'restored')");
}

const wrongKey = () => key.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));

interface Running {
  readonly child: ChildProcess;
  output(): string;
}

async function startReceiver(settings: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, [programOf('4-webhooks')], { env: { ...env, ...settings }, cwd: folder });
  after(() => child.kill('SIGKILL'));
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk));
  await waitFor('receiver that is ready', () => written.includes('ready'));
  return { child, output: () => written };
}

async function stop({ child }: Running): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

describe('an afternoon', HANG_LIMIT, () => {
  test('1. the first call, by hand twice and by the package', async () => {
    assert.match(await type('1-first-call'), /^HTTP\/1.1 201/);
    assert.match(await type('1-first-call'), /idempotent-replayed: true/i);
    assert.match((await run('1-first-call')).join(), /^confirmed as txn_\w+$/);
  });

  test('1. a second run of the program is refused, since the order has its contribution', async () => {
    assert.match((await run('1-first-call')).join(), /^refused, partner_order_conflict: /);
  });

  test('1. with a wrong key it is not known yet, and the code says why', async () => {
    assert.match(
      (await run('1-first-call', { API_KEY: wrongKey() })).join(),
      /^not known yet, unauthorized: ask again at \d{4}-\S+Z$/,
    );
  });

  test('2. what is confirmed stays deducted, what failed is restored', async () => {
    const [, names = ''] = /^node gifts.ts (.+)$/m.exec(readDocument('docs/afternoon/2-deduct-store-send.md')) ?? [];
    assert.deepEqual(await run('2-deduct-store-send', ...names.split(' ')), [
      'afternoon-order-3 confirmed 900',
      'SIM-FAILED-afternoon restored 900',
    ]);
    await assert.rejects(run('2-deduct-store-send', 'afternoon-order-3'), /UNIQUE constraint failed: gift.order_ref/);
    assert.deepEqual(await run('2-deduct-store-send', 'SIM-FAILED-afternoon'), ['SIM-FAILED-afternoon restored 900']);
  });

  test('2. a confirmed gift that the service says failed, as after a restore of its database, is left to a person', async () => {
    const last = "(select max(rowid) from gift where status = 'restored')";
    const [gift] = changeWallet(`update gift set status = 'confirmed', due_ms = 0 where rowid = ${last} returning event_id`);
    assert.deepEqual(await run('2-deduct-store-send'), [
      'SIM-FAILED-afternoon would be restored, and is confirmed: a person has to look 900',
    ]);
    changeWallet(`update gift set status = 'restored' where event_id = '${gift?.['event_id']}'`);
  });

  test('2. a gift whose program is killed is settled by the job', async () => {
    const killed = spawn(process.execPath, [programOf('2-deduct-store-send'), 'SIM-SLOW-afternoon'], { env, cwd: folder });
    const { partnerId } = partner;
    const read = "select status from contribution where partner_id = $1 and partner_order_ref = 'SIM-SLOW-afternoon'";
    await waitFor(
      'contribution of the gift',
      async () => (await service.database.pool.query(read, [partnerId])).rows.length === 1,
    );
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    assert.deepEqual(await run('2-deduct-store-send'), ['']);
    makeDue();
    assert.deepEqual(await run('2-deduct-store-send'), ['SIM-SLOW-afternoon confirmed 800']);
  });

  test('2. a wrong key strands no gift: the job settles it with the right one', async () => {
    assert.deepEqual(await run('2-deduct-store-send', { API_KEY: wrongKey() }, 'afternoon-wrong-key'), [
      'afternoon-wrong-key unauthorized 700',
    ]);
    makeDue();
    assert.deepEqual(await run('2-deduct-store-send'), ['afternoon-wrong-key confirmed 700']);
  });

  test('2. a refused gift is asked about again', async () => {
    await client.confirm({ partner_order_ref: 'afternoon-taken' });
    assert.deepEqual(await run('2-deduct-store-send', 'afternoon-taken'), ['afternoon-taken partner_order_conflict 600']);
    makeDue();
    assert.deepEqual(await run('2-deduct-store-send'), ['afternoon-taken partner_order_conflict 600']);
  });

  test('2. without an account nothing is stored and nothing is sent', async () => {
    const account = changeWallet('delete from account returning points');
    changeWallet('insert into account values (0)');
    await assert.rejects(run('2-deduct-store-send', 'afternoon-poor'), /CHECK constraint failed/);
    changeWallet('update account set points = ?', account[0]?.['points'] as number);
    assert.deepEqual(changeWallet("select * from gift where order_ref = 'afternoon-poor'"), []);
  });

  test('3. each failure is told as the page says', async () => {
    const twice = (said: string) => [said, said];
    assert.deepEqual(await run('3-recovery'), [
      ...twice('SIM-TIMEOUT-AFTER-COMMIT- confirmed 100'),
      ...twice('SIM-TIMEOUT-BEFORE-COMMIT- confirmed 100'),
      ...twice('SIM-503-TWICE- confirmed 100'),
      ...twice('SIM-429- confirmed 100'),
      ...twice('SIM-PENDING- pending'),
      ...twice('SIM-FAILED- failed, restore 100'),
      ...twice('SIM-ORDER-TAKEN- refused partner_order_conflict'),
      ...twice('EXACT- confirmed 9007199254740993'),
    ]);
  });

  test('4. the receiver is right about every sample, and catches up after an outage', async () => {
    const PORT = String(await freePort());
    const { run: give } = commandLine({ BASE_URL: service.baseUrl, API_KEY: key.apiKey });
    const rehearse = () => give(['rehearse', '--url', `http://127.0.0.1:${PORT}/hook`]);
    const first = await startReceiver({ PORT });
    await assertRefusesPrintedSecrets(programOf('4-webhooks'), `http://127.0.0.1:${PORT}/hook`);
    const added = await type('4-webhooks', 'afternoon-endpoint-1', `http://127.0.0.1:${PORT}/hook`);
    Object.assign(env, { ENDPOINT_ID: /wep_\w+/.exec(added)?.[0] });
    const [SECRET = ''] = /whsec_[^"]+/.exec(added) ?? [];
    await stop(first);
    const second = await startReceiver({ PORT, SECRET });
    const samples = await type('4-webhooks', 'for fault in');
    assert.deepEqual(samples.match(/"as_expected":\w+/g), Array(9).fill('"as_expected":true'));
    const { stdout, stderr } = await rehearse();
    assert.equal(stdout.match(/ yes$/gm)?.length, 11, stdout + stderr);
    assert.ok(!stdout.includes(' NO'), stdout);
    await stop(second);
    const { transaction_id } = (await client.confirm()).body.contribution;
    const third = await startReceiver({ PORT, SECRET });
    await waitFor('event of the contribution', () => third.output().includes(`confirmed ${transaction_id}`));
    await waitFor('delivery of the last event', async () => {
      const { events } = (await client.call('/v1/events?limit=500')).body;
      const deliveries = await deliveriesOf();
      return (
        events.length > 0 &&
        deliveries.some(({ event_id, status }) => event_id === events.at(-1).event_id && status === 'delivered')
      );
    });
    const [sent] = (await deliveriesOf()).filter(({ sequence }) => sequence !== null);
    assert.match(await type('4-webhooks', '/resend'), /"delivery_id"/);
    await waitFor('second attempt', async () =>
      (await deliveriesOf()).some(({ event_id, attempts }) => event_id === sent?.event_id && attempts > 1),
    );
    assert.equal(third.output().split(transaction_id).length, 2);
    await stop(third);
  });

  test('5. the month is closed, verified and compared', async () => {
    assert.match(await type('5-month-end', 'afternoon-close-1'), /"status":"closed"/);
    const [, name = ''] = /^node gifts.ts (.+)$/m.exec(readDocument('docs/afternoon/5-month-end.md')) ?? [];
    assert.deepEqual(await run('2-deduct-store-send', name), [`${name} confirmed 500`]);
    assert.match(await type('5-month-end', 'afternoon-close-2'), /"status":"closed"/);
    const months = (await run('5-month-end')).join('\n').split(/^(?=\d{4}-\d\d)/m);
    assert.equal(months.length, 2);
    for (const month of months) assert.match(month, /^\d{4}-\d\d.* payable \d+n statement of \d+ bytes\n/);
    const verdictsOf = (month = '') =>
      month
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(' ')[0]);
    const [latest, first] = months.map((month) => verdictsOf(month).sort());
    assert.deepEqual(latest, ['matched', ...Array(3).fill('other_settlement')]);
    assert.deepEqual([...new Set(first)], ['matched', 'missing_in_partner_file', 'other_settlement']);
    assert.ok((first?.length ?? 0) > 8);
  });

  test('5. a settlement that is accepted is compared no more, and one that is disputed still is', async () => {
    const { settlements } = (await client.call('/v1/settlements')).body;
    const [latest, ...earlier] = settlements.filter(({ status }: { status: string }) => status === 'closed');
    const answer = ({ settlement_id }: { settlement_id: string }, said: Record<string, string>) =>
      client.post(`/v1/settlements/${settlement_id}/acknowledgement`, said);
    assert.equal((await answer(latest, { status: 'accepted' })).status, 201);
    for (const each of earlier) assert.equal((await answer(each, { status: 'disputed', note: 'test' })).status, 201);
    const months = (await run('5-month-end')).filter((line) => line.includes(' payable '));
    assert.deepEqual(
      months.map((line) => line.split(' ')[0]),
      earlier.map(({ period_label }: { period_label: string }) => period_label),
    );
  });

  test('every check is passed', async () => {
    const read = async () => (await client.call('/v1/sandbox/readiness')).body.readiness;
    const isReady = async () => /^{"readiness":{"ready":true/.test(await type('5-month-end', 'readiness'));
    await waitFor('readiness', isReady, read);
    const { checks } = await read();
    assert.deepEqual(
      [checks.length, checks.every(({ passed }: { passed: boolean }) => passed)],
      [Object.keys(READINESS_CHECKS).length, true],
    );
  });
});

test('6. the page has 24 rules, and names only prefixes and faults that there are', () => {
  const text = readDocument('docs/afternoon/6-what-goes-wrong.md');
  const prefixes = text.match(/SIM-[A-Z0-9-]+/g) ?? [];
  assert.deepEqual(
    prefixes.filter((prefix) => !SCENARIO_PREFIXES.includes(prefix)),
    [],
  );
  const samples = [...text.matchAll(/samples? with ((?:`\w+`(?:, )?)+)/g)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []);
  assert.deepEqual(
    samples.filter((name) => !(SAMPLE_FAULTS as readonly string[]).includes(name)),
    [],
  );
  assert.ok(prefixes.length > 5 && samples.length > 4);
  const numbers = [...text.matchAll(/^\| (\d+)\. /gm)].map(([, number]) => Number(number));
  assert.deepEqual(
    numbers,
    Array.from({ length: 24 }, (_, index) => index + 1),
  );
});
