import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { newNamedKey, writeNamedKey } from '../../domain/audit/named-key.ts';
import { openSecretBox } from '../../webhooks/security/secret-box.ts';
import { openKeyFile } from './key-file.ts';

const root = mkdtempSync(join(tmpdir(), 'partner-impact-secrets-key-'));
after(() => rmSync(root, { recursive: true }));
let folders = 0;

const openSecretsKeyFile = (dataDirectory: string) =>
  openKeyFile({ dataDirectory, name: 'secrets.key', ifExposed: ' and renew' });

function newFolder(): { folder: string; file: string } {
  const folder = join(root, String(folders++));
  return { folder, file: join(folder, 'secrets.key') };
}

function newFolderWith(content: string, mode: number): { folder: string; file: string } {
  const { folder, file } = newFolder();
  mkdirSync(folder);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return { folder, file };
}

test('the first start makes a key that only the owner can read, and the next one reads it', () => {
  const { folder, file } = newFolder();
  const made = openSecretsKeyFile(folder);
  assert.equal(made.length, 1);
  assert.equal(made[0]?.bytes.length, 32);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.match(readFileSync(file, 'utf8'), /^file-[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/);
  assert.deepEqual(openSecretsKeyFile(folder), made);
  assert.deepEqual(readdirSync(folder), ['secrets.key'], 'no draft stays behind');
});

test('the mode holds where the umask takes nothing away', async () => {
  const { folder, file } = newFolder();
  await openInProcess([folder], { before: 'process.umask(0);' });
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('processes that start at once all have the same key', async () => {
  const many = Array.from({ length: 100 }, () => newFolder().folder);
  const startAtMs = Date.now() + 1000;
  const before = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(1, ${startAtMs} - Date.now()));`;
  const outputs = await Promise.all(Array.from({ length: 4 }, () => openInProcess(many, { before })));
  assert.equal(new Set(outputs).size, 1);
  for (const folder of many) assert.deepEqual(readdirSync(folder), ['secrets.key']);
});

/** What another process reads from the folders, one after the other. */
async function openInProcess(folders: readonly string[], { before }: { before: string }): Promise<string> {
  const module = JSON.stringify(new URL('./key-file.ts', import.meta.url));
  const program = `const { openKeyFile } = await import(${module}); ${before}
    console.log(JSON.stringify(${JSON.stringify(folders)}.map((dataDirectory) => openKeyFile({ dataDirectory, name: 'secrets.key', ifExposed: '' }))));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await text(child.stdout);
  assert.match(output, /^\[\[\{"id":"file-/);
  return output;
}

test('a file that others may read or change is refused, and the sentence says what to do', () => {
  for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602, 0o601]) {
    const { folder, file } = newFolderWith(writeNamedKey(newNamedKey('a')), mode);
    assert.throws(
      () => openSecretsKeyFile(folder),
      ({ message }: Error) => {
        assert.ok(
          message.startsWith(`${file} is open to other users (mode ${mode.toString(8)}): run "chmod 600 ${file}".`),
          message,
        );
        return true;
      },
    );
    chmodSync(file, 0o600);
    assert.equal(openSecretsKeyFile(folder)[0]?.id, 'a');
  }
});

test('the owner may turn the key by a new one before the old, and may make the file read-only', () => {
  const { folder, file } = newFolder();
  const [old] = openSecretsKeyFile(folder);
  assert.ok(old);
  const sealed = openSecretBox([old]).seal('ep_1', 'whsec_abc');
  writeFileSync(file, `${writeNamedKey(newNamedKey('new'))},${writeNamedKey(old)}\n`);
  chmodSync(file, 0o400);
  const keys = openSecretsKeyFile(folder);
  assert.deepEqual(
    keys.map(({ id }) => id),
    ['new', old.id],
  );
  assert.equal(openSecretBox(keys).open('ep_1', sealed), 'whsec_abc');
});

test('a file without sense is named, never overwritten', () => {
  for (const content of ['', 'not a key', 'a:AAAA\n']) {
    const { folder, file } = newFolderWith(content, 0o600);
    assert.throws(
      () => openSecretsKeyFile(folder),
      ({ message }: Error) => message.startsWith(`${file} must be id:base64`),
    );
    assert.equal(readFileSync(file, 'utf8'), content);
  }
});
