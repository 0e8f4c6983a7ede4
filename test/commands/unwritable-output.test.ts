/** Output that cannot be written, such as to a full disk: the command finishes its work, and its exit code says that words are missing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Every write fails with ENOSPC. */
const FULL = '/dev/full';

const LOST = 'The output cannot be written (ENOSPC) and is dropped. The command finishes its work.\n';

const service = await testService();
const folder = temporaryFolder('unwritable-output');
const settings = {
  DATABASE_URL: service.databaseUrl,
  XDG_CONFIG_HOME: folder,
  AUDIT_KEY: service.database.auditKeys().map(writeNamedKey).join(','),
};
const { runJson } = commandLine(settings);

/** @returns What the other of both streams got. */
async function runTo(unwritable: 'stdout' | 'stderr', args: readonly string[]) {
  await using full = await open(FULL, 'w');
  const outputs = unwritable === 'stdout' ? ([full.fd, 'pipe'] as const) : (['pipe', full.fd] as const);
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', ...outputs],
    env: { ...process.env, ...settings },
  });
  const other = unwritable === 'stdout' ? child.stderr : child.stdout;
  const [written, [code]] = await Promise.all([other ? text(other) : '', once(child, 'close')]);
  return { code, written };
}

const needsFull = { skip: existsSync(FULL) ? false : `there is no ${FULL} here`, ...HANG_LIMIT };

describe('a command whose output cannot be written', needsFull, () => {
  test('has made its change, says in a sentence that the output is lost, and ends with 1', async () => {
    const { partnerId } = (await service.newPartner()).partner;
    const before = await runJson('key', 'list', '--partner', partnerId);
    for (const more of [[], ['--json']]) {
      const { code, written } = await runTo('stdout', ['key', 'issue', '--partner', partnerId, ...more]);
      assert.deepEqual([code, written], [1, LOST]);
    }
    assert.equal((await runJson('key', 'list', '--partner', partnerId)).length, before.length + 2);
  });

  test('reads on where it prints many bytes', async () => {
    const { partner, client } = await service.newPartner();
    await openFirst(service.database, partner);
    await client.confirm();
    const { settlementId } = (await closeNow(service.database, partner.partnerId)).closed;
    const words = ['statement', 'download', '--partner', partner.partnerId, '--settlement', settlementId];
    const { code, written } = await runTo('stdout', words);
    assert.equal(code, 1);
    assert.equal(written, LOST);
  });

  test('finishes its work also where nobody can read its progress, or its error', async () => {
    const verified = await runTo('stderr', ['impact-batch', 'verify', '--json']);
    assert.equal(JSON.parse(verified.written).ok, true);
    assert.equal((await runTo('stderr', ['partner', 'show', '--partner', 'ptn_unknown1'])).code, 2);
    const { partner, client } = await service.newPartner();
    const { partnerId } = partner;
    await openFirst(service.database, partner);
    await client.confirm();
    const closed = await runTo('stderr', ['settlement', 'close', '--partner', partnerId, '--yes']);
    assert.equal(closed.code, 1);
    assert.match(closed.written, /^status +closed$/m);
  });
});
