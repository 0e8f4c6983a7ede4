/**
 * Name servers that change while the service runs. The file runs itself again in a network and with an `/etc/resolv.conf` of its own.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNameServer } from '../../../test/support/webhooks/name-server.ts';
import { publicNames } from './resolve-name.ts';

const INSIDE = 'PARTNER_IMPACT_TEST_NAMES';
const UNSHARE = ['--user', '--map-root-user', '--net', '--mount', 'sh', '-c'];
const SET_UP = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf';

if (process.env[INSIDE] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  const file = join(folder, 'resolv.conf');
  writeFileSync(file, 'nameserver 127.0.0.2\n');
  const isPossible = spawnSync('unshare', [...UNSHARE, SET_UP, file]).status === 0;
  test('in a network of its own', { skip: !isPossible && 'this system gives no namespaces (unshare, ip, mount)' }, () => {
    const again = [process.execPath, '--test-reporter=tap', import.meta.filename];
    // The runner's own variable would make the inner run speak to the outer runner.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync('unshare', [...UNSHARE, `${SET_UP} && exec "$@"`, file, ...again], {
      env: { ...env, [INSIDE]: '1' },
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^# pass 1$/m);
  });
} else {
  test('after a look-up that no name server answered, those of the machine are read again', async () => {
    const before = await openNameServer('203.0.113.7', { host: '127.0.0.2', port: 53 });
    const resolve = publicNames();
    const expected = [{ address: '203.0.113.7', family: 4 }];
    assert.deepEqual(await resolve('hooks.example'), expected);
    before.close();
    await openNameServer('203.0.113.7', { host: '127.0.0.3', port: 53 });
    writeFileSync('/etc/resolv.conf', 'nameserver 127.0.0.3\n');
    await assert.rejects(resolve('hooks.example'), { code: 'EAI_AGAIN' });
    assert.deepEqual(await resolve('hooks.example'), expected);
  });
}
