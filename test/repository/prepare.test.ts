/** `scripts/prepare.mjs` where one user installs, and another one starts: an installation of the packages' names alone. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { isRoot } from '../support/postgres/embedded.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeCertificate } from '../support/webhooks/make-certificate.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
/** Root keeps its name and loses its rights, so that the mode of a folder holds for it. */
const WITHOUT_RIGHTS = isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];

const installation = temporaryFolder('prepare');
const at = (path: string) => join(installation, path);
for (const path of ['scripts', 'sdk/src', 'sdk/tsconfig.json', 'package-lock.json', 'tsconfig.json'])
  cpSync(join(REPOSITORY, path), at(path), { recursive: true });

/** The compiler of this installation writes two files and looks at none. */
const COMPILER = `const { mkdirSync, writeFileSync } = require('node:fs');
const folder = process.argv.at(-1);
mkdirSync(folder + '/command', { recursive: true });
for (const name of ['index.js', 'command/main.js']) writeFileSync(folder + '/' + name, '');`;

const lockFile = readFileSync(at('package-lock.json'), 'utf8');
plant(
  'node_modules/.prepared',
  createHash('sha256').update(lockFile).update(`${process.platform}-${process.arch}`).digest('hex'),
);
plant('node_modules/typescript/bin/tsc', COMPILER);

function plant(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** As a person's shell would, with its umask. */
function prepare({ umask = '022', prefix = [] as readonly string[] } = {}): { code: number | null; output: string } {
  const words = [...prefix, process.execPath, at('scripts/prepare.mjs')];
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `umask ${umask} && exec "$@"`, 'sh', ...words], { encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

for (const [umask, mode] of [
  ['022', 0o755],
  ['077', 0o700],
] as const)
  test(`with the umask ${umask}, other users may read what was built just as everything else`, () => {
    rmSync(at('sdk/dist'), { recursive: true, force: true });
    assert.deepEqual(prepare({ umask }), { code: 0, output: '' });
    assert.equal(statSync(at('sdk/dist')).mode & 0o777, mode);
  });

describe('a user who may not write in the folder', () => {
  const closed = [installation, at('sdk'), at('node_modules')];
  const prepareClosed = () => {
    for (const folder of closed) chmodSync(folder, 0o555);
    try {
      return prepare({ prefix: WITHOUT_RIGHTS });
    } finally {
      for (const folder of closed) chmodSync(folder, 0o755);
    }
  };
  const refusalOf = (folder: string) =>
    `User ${process.getuid?.()} may not write in ${folder} (EACCES): run \`npm run console:build\` as its owner, then start again; or change the owner.\n`;

  test('starts what its owner has prepared', () => {
    assert.equal(prepare().code, 0);
    assert.deepEqual(prepareClosed(), { code: 0, output: '' });
  });

  test('reads what to do when the source of the package changed since', () => {
    appendFileSync(at('sdk/src/index.ts'), '\n');
    assert.deepEqual(prepareClosed(), { code: 1, output: refusalOf(at('sdk')) });
  });

  test('reads what to do when the packages are not installed', () => {
    appendFileSync(at('package-lock.json'), '\n');
    const output = `The packages cannot be installed. ${refusalOf(installation)}`;
    assert.deepEqual(prepareClosed(), { code: 1, output });
  });
});

test('whose npm does not trust the certificate of the registry reads how it comes to trust it', async () => {
  const folder = temporaryFolder('untrusted-registry');
  for (const path of ['scripts', 'package.json', 'package-lock.json', 'sdk/package.json', 'console/package.json'])
    cpSync(join(REPOSITORY, path), join(folder, path), { recursive: true });
  const registry = createServer(makeCertificate('localhost')).listen(0, '127.0.0.1');
  after(() => registry.close());
  await once(registry, 'listening');
  const settings = {
    npm_config_registry: `https://localhost:${(registry.address() as AddressInfo).port}/`,
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
    NO_PROXY: 'localhost',
  };
  const [code, output] = await new Promise<[unknown, string]>((resolve) =>
    execFile(
      process.execPath,
      [join(folder, 'scripts/prepare.mjs')],
      { env: { ...process.env, ...settings } },
      (error, stdout, stderr) => resolve([error?.code, stdout + stderr]),
    ),
  );
  assert.equal(code, 1);
  assert.match(output, /npm error code \S*CERT/);
  assert.match(output, /npm does not trust the certificate of the registry\. .+NODE_EXTRA_CA_CERTS.+, then start again\.\n$/);
});
