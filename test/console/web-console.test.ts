/** How the service serves the built console: cached for ever by content, compressed, under a policy that admits nothing else. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { openWebConsole } from '../../src/web-console/web-console.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROGRAM = `console.log('${'x'.repeat(2_000)}');\n`;
const folder = join(temporaryFolder('console'), 'dist');
mkdirSync(join(folder, 'assets'), { recursive: true });
writeFileSync(join(folder, 'index.html'), '<meta name="csp-nonce" content="CSP_NONCE">');
writeFileSync(join(folder, 'assets', 'main-1a.js'), PROGRAM);
writeFileSync(join(folder, 'assets', 'main-1a.js.br'), brotliCompressSync(PROGRAM));
writeFileSync(join(folder, 'secret.txt'), 'not for browsers');

const baseUrl = await serve(folder);

async function serve(dist: string): Promise<string> {
  const answer = openWebConsole(dist);
  const server = createServer((request, response) => {
    if (!answer(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') => fetch(baseUrl + path, { headers, method });

describe('the page', () => {
  test('is the same at every address of the console, is kept by no cache, and names its own nonce', async () => {
    const nonces = new Set<string>();
    for (const path of ['/', '/reviews?partner=x', '/contributions/prt_1/txn_2']) {
      const response = await ask(path, { accept: 'text/html' });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      const [, nonce = ''] = /content="(.+)"/.exec(await response.text()) ?? [];
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}'`), policy);
      assert.match(policy, /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.equal(response.headers.get('x-frame-options'), 'DENY');
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 3);
  });

  test('answers no program, no change, and no path of the service', async () => {
    assert.equal((await ask('/reviews', { accept: 'application/json' })).status, 404);
    assert.equal((await ask('/', { accept: 'text/html' }, 'POST')).status, 404);
    for (const path of ['/operator/v1/reviews', '/livez', '/metrics', '/assets/none.js'])
      assert.equal((await ask(path, { accept: 'text/html' })).status, 404, path);
  });

  test('where nothing was built, it says how to build it', async () => {
    const response = await fetch(await serve(join(folder, 'none')), { headers: { accept: 'text/html' } });
    assert.equal(response.status, 503);
    assert.match(await response.text(), /npm run console:build/);
  });
});

describe('a file', () => {
  test('is kept for ever, and compressed as it was when it was built', async () => {
    const response = await ask('/assets/main-1a.js', { 'accept-encoding': 'gzip, br' });
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(response.headers.get('content-encoding'), 'br');
    assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(await response.text(), PROGRAM);
    const plain = await ask('/assets/main-1a.js', { 'accept-encoding': 'identity' });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(await plain.text(), PROGRAM);
  });

  test('is not sent again to who has it', async () => {
    const etag = (await ask('/assets/main-1a.js')).headers.get('etag') ?? '';
    assert.equal((await ask('/assets/main-1a.js', { 'if-none-match': etag })).status, 304);
  });

  test('no path leads out of the folder of built files', async () => {
    for (const path of [
      '/secret.txt',
      '/assets/../secret.txt',
      '/assets/%2e%2e/secret.txt',
      '/assets/..%2fsecret.txt',
      '/assets/',
    ])
      assert.equal((await ask(path)).status, 404, path);
  });
});
