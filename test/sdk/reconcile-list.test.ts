/** The list that `reconcile` sends: its temporary file, while uploads fail and while the disk takes only a part. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../reliability/harness/free-port.ts';
import { type ListedContribution, PartnerImpact } from '../../sdk/src/index.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const FILES = '/proc/self/fd';

/** The files of lists that this process holds open. */
function listOpenLists(): string[] {
  return readdirSync(FILES).flatMap((name) => {
    try {
      const target = readlinkSync(join(FILES, name));
      return target.includes('partner-impact-list-') ? [target] : [];
    } catch {
      return [];
    }
  });
}

const listOf = (count: number): ListedContribution[] =>
  Array.from({ length: count }, (_none, index) => ({ eventId: `event-${index}`, orderRef: `order-${index}`, points: 250n }));

test('connections that fail hold no file of the list open', {
  skip: existsSync(FILES) ? false : 'there is no /proc',
}, async () => {
  const nobody = `http://127.0.0.1:${await freePort()}/`;
  const uploads = 4;
  const answers: Record<string, object> = {
    POST: { reconciliation: { reconciliation_id: 'rec_12345678', status: 'queued', problem: null } },
    GET: { reconciliation: { reconciliation_id: 'rec_12345678', status: 'done', problem: null }, lines: [], has_more: false },
  };
  let count = 0;
  const impact = new PartnerImpact({
    baseUrl: nobody,
    apiKey: 'pi_sandbox_test',
    async fetch(input, init) {
      if (init.method !== 'POST') return Response.json(answers['GET']);
      return ++count < uploads ? fetch(input, init) : Response.json(answers['POST']);
    },
  });
  assert.deepEqual(await Array.fromAsync(impact.settlements.reconcile('stl_12345678', listOf(10_000))), []);
  assert.equal(count, uploads);
  await waitFor('end of the open files', () => listOpenLists().length === 0, listOpenLists);
});

test('a list that the disk does not take as a whole is sent to nobody', { skip: process.platform === 'win32' }, async () => {
  const program = `
    import { PartnerImpact } from ${JSON.stringify(join(ROOT, 'sdk/src/index.ts'))};
    const fetch = async (_input, { method }) => {
      console.log('sent', method);
      return Response.json({ error: { code: 'invalid_request', message: 'no', retryable: false } }, { status: 400 });
    };
    const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test', fetch });
    const lines = Array.from({ length: 100 }, (_none, index) => ({ eventId: 'event-' + index, orderRef: 'order-' + index, points: 1n }));
    await Array.fromAsync(impact.settlements.reconcile('stl_12345678', lines)).catch(({ code }) => console.log(code));`;
  const env = { ...process.env, TMPDIR: temporaryFolder('full-disk') };
  // The list has 2.5 kB, and a file may have a block.
  const words = ['-c', 'ulimit -f 1 && exec "$0" --input-type=module-typescript -e "$1"', process.execPath, program];
  const { stdout } = await run('sh', words, { env });
  assert.equal(stdout, 'EFBIG\n');
});
