/** The programs of the package's documents that receive webhooks, while the service refuses the look for missed events at their start. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { failedEvent } from '../../sdk/src/testing.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { answerAsFeed, listen } from '../support/webhooks/example-receivers.ts';

buildSdk();

/** What the README leaves to the partner. */
const PARTNER = `
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { PartnerImpact } from '@partner-impact/sdk';
const impact = new PartnerImpact({ baseUrl: process.env.BASE_URL ?? '', apiKey: process.env.API_KEY ?? '' });
const secret = 'whsec_0123456789abcdef0123456789abcdef';
const connection = new DatabaseSync('inbox.db');
const findIntent = () => undefined;
const tellOfUnknown = () => {};
const restore = () => {};
`;

function blockOf(path: string, holds: string): string {
  const markdown = readFileSync(join(ROOT, path), 'utf8');
  const block = [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text).find((text) => text.includes(holds));
  assert.ok(block, path);
  return block;
}

const PROGRAMS: Readonly<Record<string, () => string>> = {
  'the README of the package': () =>
    `${PARTNER}${blockOf('sdk/README.md', 'nodeHandler')}\nsetInterval(() => {}, 1_000); // it listens`,
  'the guide of webhooks': () => blockOf('docs/afternoon/4-webhooks.md', 'nodeHandler'),
  'examples/partner-server.ts': () => readFileSync(join(ROOT, 'examples/partner-server.ts'), 'utf8'),
};

/** With less than a minute between two looks. */
function makeFolder(program: string): string {
  const folder = temporaryFolder('outage-at-start');
  mkdirSync(join(folder, 'node_modules/@partner-impact'), { recursive: true });
  symlinkSync(join(ROOT, 'sdk'), join(folder, 'node_modules/@partner-impact/sdk'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(join(ROOT, 'examples/wallet.ts'), join(folder, 'wallet.ts'));
  writeFileSync(join(folder, 'program.ts'), program.replace(/\b60_000\b/, '100'));
  return folder;
}

function readPosition(folder: string): number {
  const inbox = new DatabaseSync(join(folder, 'inbox.db'), { timeout: 5_000 });
  try {
    return Number(inbox.prepare('select sequence from partner_impact_position').get()?.['sequence']);
  } finally {
    inbox.close();
  }
}

for (const [name, read] of Object.entries(PROGRAMS))
  test(
    `${name}: a catch-up that fails at the start ends no process, and is tried again without an event`,
    HANG_LIMIT,
    async () => {
      let asked = 0;
      const answer = answerAsFeed([{ ...failedEvent(1n), sequence: 1n }]);
      const BASE_URL = await listen((request, response) => {
        asked += 1;
        if (asked > 1) return answer(request, response);
        const error = { code: 'unauthorized', message: 'Not now.', retryable: false, correlation_id: 'corr_1', details: [] };
        response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }));
      });
      const folder = makeFolder(read());
      const settings = { BASE_URL, API_KEY: 'pi_sandbox_test', PORT: String(await freePort()), NODE_NO_WARNINGS: '1' };
      const program = spawn(process.execPath, ['program.ts'], {
        env: { ...process.env, ...settings },
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      after(() => program.kill('SIGKILL'));
      let printed = '';
      program.stderr.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
      await waitFor(
        'word of the first look',
        () => printed.includes('Not now.'),
        () => printed,
      );
      await waitFor(
        'handled event',
        () => program.exitCode !== null || readPosition(folder) === 1,
        () => printed,
      );
      assert.equal(program.exitCode, null, printed);
    },
  );
