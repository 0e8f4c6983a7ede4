/** The program of the guide with a wallet and the server of examples/ share the files of one folder. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../reliability/harness/free-port.ts';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { listBlocks, ROOT } from '../support/document-blocks.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

buildSdk();
const service = await testService();

/** A folder as the guide leaves it, with both files of the server beside them. */
function makeFolder(): string {
  const folder = temporaryFolder('one-folder');
  mkdirSync(join(folder, 'node_modules/@partner-impact'), { recursive: true });
  symlinkSync(join(ROOT, 'sdk'), join(folder, 'node_modules/@partner-impact/sdk'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const [program] = listBlocks().filter(({ path, tag }) => path === 'docs/afternoon/2-deduct-store-send.md' && tag === 'ts');
  writeFileSync(join(folder, 'gifts.ts'), program?.text ?? '');
  for (const file of ['partner-server.ts', 'wallet.ts']) copyFileSync(join(ROOT, 'examples', file), join(folder, file));
  return folder;
}

type Program = 'guide' | 'server';

/** Gives two gifts by the program of the guide, one of which fails. @returns What it says. */
async function giveByGuide(cwd: string, env: NodeJS.ProcessEnv, orders: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['gifts.ts', ...orders], { env, cwd });
  return stdout.trimEnd().split('\n');
}

async function giveByServer(cwd: string, env: NodeJS.ProcessEnv, orders: readonly string[]): Promise<string[]> {
  const PORT = String(await freePort());
  const server = spawn(process.execPath, ['partner-server.ts'], {
    env: { ...env, PORT },
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  after(() => server.kill('SIGKILL'));
  const url = `http://127.0.0.1:${PORT}`;
  await waitFor('server', () => fetch(`${url}/hook`).catch(() => undefined));
  const said: string[] = [];
  for (const order of orders) said.push(String((await fetch(`${url}/gifts/${order}/100`, { method: 'POST' })).status));
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
  return said;
}

const BY: Readonly<Record<Program, typeof giveByGuide>> = { guide: giveByGuide, server: giveByServer };

const programs: readonly Program[][] = [
  ['guide', 'server', 'guide'],
  ['server', 'guide', 'server'],
];
for (const order of programs)
  test(`the gifts of ${order.join(', then ')} in one folder are settled, and what failed is restored`, HANG_LIMIT, async () => {
    const folder = makeFolder();
    const { key } = await service.newPartner();
    const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY: key.apiKey, NODE_NO_WARNINGS: '1' };
    for (const [round, program] of order.entries()) {
      const points = 1_000 - 100 * (round + 1);
      const [kept, failed] = [`order-${round}`, `SIM-FAILED-${round}`];
      const expected = program === 'guide' ? [`${kept} confirmed ${points}`, `${failed} restored ${points}`] : ['200', '422'];
      assert.deepEqual(await BY[program](folder, env, [kept, failed]), expected);
    }
    const wallet = new DatabaseSync(join(folder, 'wallet.db'));
    after(() => wallet.close());
    const rows = wallet.prepare('select status, transaction_id is not null as has_transaction from gift order by rowid').all();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      order.flatMap(() => ['confirmed', 'restored'].map((status) => ({ status, has_transaction: 1 }))),
    );
    assert.equal(wallet.prepare('select points from account').get()?.['points'], 700);
  });

for (const program of ['gifts.ts', 'partner-server.ts'])
  test(
    `${program} ends before a deduction beside a wallet.db that the guide made before, and goes on after its alter table`,
    HANG_LIMIT,
    async () => {
      const folder = makeFolder();
      const wallet = new DatabaseSync(join(folder, 'wallet.db'));
      after(() => wallet.close());
      wallet.exec(`create table account (points integer not null check (points >= 0));
      insert into account values (1000);
      create table gift (event_id text primary key, order_ref text not null, intent text not null, status text not null, due_ms integer)`);
      const { key } = await service.newPartner();
      const env = {
        ...process.env,
        BASE_URL: service.baseUrl,
        API_KEY: key.apiKey,
        PORT: String(await freePort()),
        NODE_NO_WARNINGS: '1',
      };
      const start = promisify(execFile)(process.execPath, [program, 'order-of-before'], { env, cwd: folder, timeout: 60_000 });
      await assert.rejects(start, /no such column: transaction_id/);
      assert.equal(wallet.prepare('select points from account').get()?.['points'], 1_000);
      const guide = readFileSync(join(ROOT, 'docs/afternoon/2-deduct-store-send.md'), 'utf8');
      wallet.exec(/`(alter table gift [^`]+)`/.exec(guide)?.[1] ?? 'it has none');
      const by = program === 'gifts.ts' ? 'guide' : 'server';
      const expected = by === 'guide' ? ['order-of-before confirmed 900'] : ['200'];
      assert.deepEqual(await BY[by](folder, env, ['order-of-before']), expected);
    },
  );
