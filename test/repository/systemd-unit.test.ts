/** The unit of docs/operating.md agrees with the program that it starts, and systemd understands it where it is installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ENOUGH_OPEN_FILES } from '../../src/commands/terminal/open-files-limit.ts';
import { listBlocks, ROOT } from '../support/document-blocks.ts';

const unit = listBlocks().find(({ path, tag }) => path === 'docs/operating.md' && tag === 'ini')?.text ?? '';
const stated = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1];

test('waits for a stop longer than the service takes, and gives it the open files that it asks for', () => {
  const [, stopMs = ''] =
    /^const STOP_TIMEOUT_MS = ([\d_]+);$/m.exec(readFileSync(join(ROOT, 'src/commands/serve.ts'), 'utf8')) ?? [];
  assert.ok(Number(stated('TimeoutStopSec')) * 1_000 > Number(stopMs.replaceAll('_', '')), stopMs);
  assert.equal(Number(stated('LimitNOFILE')), ENOUGH_OPEN_FILES);
});

test('is not started again with invalid settings', () => {
  const program = join(ROOT, 'bin/partner-impact.mjs');
  const { status, stderr } = spawnSync(process.execPath, [program, 'serve'], {
    encoding: 'utf8',
    env: { ...process.env, SERVICE_ENVIRONMENT: 'production', PORT: 'none' },
  });
  assert.equal(String(status), stated('RestartPreventExitStatus'), stderr);
});

test('ends no service for one process that the system killed, and drops no line of the log', () => {
  assert.equal(stated('OOMPolicy'), 'continue');
  assert.equal(stated('LogRateLimitIntervalSec'), '0');
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('has no line that systemd ignores', { skip: !hasSystemd && 'systemd is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-unit-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'partner-impact.service');
  writeFileSync(path, unit.replace('/opt/partner-impact', ROOT));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const ofUnit = stderr.split('\n').filter((line) => line.startsWith(path) || line.startsWith('partner-impact.service'));
  assert.deepEqual(ofUnit, []);
});
