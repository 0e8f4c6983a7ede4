/** What is published: its files and its dependencies. `npm run sdk:check` asks publint and @arethetypeswrong/cli, which need the network. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { ROOT } from '../support/document-blocks.ts';

const SDK = join(ROOT, 'sdk');
const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8'));

describe('the package', () => {
  before(() => void buildSdk());

  test('has programs, declarations and four documents, and is small', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: SDK });
    const [{ files, size }] = JSON.parse(stdout);
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    const others = paths.filter((path) => !/^dist\/[a-z/-]+\.(?:js|d\.ts)$/.test(path)).sort();
    assert.deepEqual(others, ['CHANGELOG.md', 'LICENSE', 'README.md', 'REFERENCE.md', 'package.json']);
    assert.equal(paths.filter((path) => path.endsWith('.js')).length, paths.filter((path) => path.endsWith('.d.ts')).length);
    assert.ok(size < 80 * 1024, `${size} bytes`);
  });

  test('has documents whose links lead to no file that it does not have', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: SDK });
    const paths: string[] = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
    const links = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => [...readFileSync(join(SDK, path), 'utf8').matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => target));
    assert.ok(links.includes('REFERENCE.md'));
    assert.deepEqual(
      links.filter((target) => !target.startsWith('https://') && !paths.includes(target)),
      [],
    );
  });

  test('has a command, which runs without the sources of the service', async () => {
    const [[name, path = ''] = []] = Object.entries<string>(manifest.bin);
    assert.equal(name, 'partner-impact-sdk');
    assert.match(readFileSync(join(SDK, path), 'utf8'), /^#!\/usr\/bin\/env node\n/);
  });

  test('depends on nothing', () => {
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) assert.equal(manifest[kind], undefined);
  });
});

test('no layer of the service imports the package, and the package imports nothing of the service', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  for (const path of globSync('src/**/*.ts', { cwd: ROOT }))
    assert.doesNotMatch(read(path), /from '[^']*(?:@partner-impact\/sdk|\/sdk\/src)/, path);
  for (const path of globSync('sdk/src/**/*.ts', { cwd: ROOT }))
    for (const [, target = ''] of read(path).matchAll(/from '([^']+)'/g)) {
      if (target.startsWith('node:')) continue;
      assert.ok(
        target.startsWith('.') && new URL(target, `file:///${path}`).pathname.startsWith('/sdk/src/'),
        `${path} imports ${target}`,
      );
    }
});

test('a partner server has at most 40 lines', () => {
  const lines = readFileSync(join(ROOT, 'examples/partner-server.ts'), 'utf8').trimEnd().split('\n');
  assert.ok(lines.length <= 40, `${lines.length} lines`);
});
