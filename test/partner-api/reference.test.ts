/** `/docs`: the reference and the guides, as a browser gets them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readConfig } from '../../src/config.ts';
import { MARKDOWN_PAGES } from '../../src/partner-api/openapi/markdown-pages.ts';
import { writtenDocument } from '../support/published.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { baseUrl } = service;
const docs = (name: string, init?: RequestInit) => fetch(new URL(name, `${baseUrl}/docs/`), init);

// biome-ignore lint/suspicious/noExplicitAny: the document is read as the JSON that it is
const readJson = async (name: string): Promise<any> => (await docs(name)).json();

describe('the page', () => {
  test('all that it loads comes from the service itself, and its policy lets nothing else in', async () => {
    const page = await docs('');
    assert.equal(page.status, 200);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /https?:|\*|script-src[^;]*unsafe/);
    const html = await page.text();
    const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
    assert.deepEqual(sources, ['icon.svg', 'scalar.js', 'start.js']);
    for (const source of sources) assert.equal((await docs(source)).status, 200, source);
    assert.match(html, /<title>Partner Impact<\/title>/);
    assert.doesNotMatch(html, /<script>|<style|scalar\.com/);
  });

  test("the maker's own controls are off: share, deploy, ask, connect, telemetry, fonts", async () => {
    const start = await (await docs('start.js')).text();
    const [, json = ''] = /\.\.\.(\{.*\}), servers \}\);/.exec(start) ?? [];
    const configuration = JSON.parse(json);
    assert.deepEqual(
      ['showDeveloperTools', 'hideClientButton', 'agent', 'mcp', 'telemetry', 'withDefaultFonts', 'proxyUrl'].map(
        (name) => configuration[name],
      ),
      ['never', true, { disabled: true }, { disabled: true }, false, false, ''],
    );
    assert.deepEqual([configuration.title, configuration.favicon], ['Partner Impact', 'icon.svg']);
  });

  test('/docs leads to /docs/, and what is not there is a 404 with the envelope', async () => {
    assert.equal((await fetch(`${baseUrl}/docs`)).url, `${baseUrl}/docs/`);
    for (const name of ['nothing', '..%2fpackage.json', 'guides/../../package.json']) {
      const missing = await docs(name);
      assert.equal(missing.status, 404, name);
      assert.equal(missing.headers.get('cache-control'), 'no-store');
    }
  });
});

describe('the documents', () => {
  test('openapi.json is the checked-in document, digit for digit', async () => {
    assert.equal(await (await docs('openapi.json')).text(), writtenDocument);
  });

  test('the guides stand beside the reference, a tag for each section, so that its search reads their text', async () => {
    const { tags, 'x-tagGroups': groups, paths } = await readJson('reference.json');
    assert.deepEqual(
      groups.map(({ name }: { name: string }) => name),
      ['Reference', 'Partner guide', 'Webhooks', 'The sandbox', 'Errors'],
    );
    const names = tags.map(({ name }: { name: string }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(groups.flatMap((group: { tags: string[] }) => group.tags).sort(), names.toSorted());
    for (const name of [
      'partner-guide',
      'partner-guide-when-a-request-gets-no-answer',
      'webhooks-verify',
      'errors-partner-order-conflict',
    ])
      assert.ok(names.includes(name), name);
    assert.deepEqual(paths, JSON.parse(writtenDocument).paths);
  });

  test('each link of the guides leads to a section of the page, or outside', async () => {
    const { tags } = await readJson('reference.json');
    const text: string = tags.map(({ description }: { description: string }) => description).join('\n');
    const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    const known = ['openapi.json', ...MARKDOWN_PAGES, ...tags.map(({ name }: { name: string }) => `#tag/${name}`)];
    assert.ok(targets.length > 30);
    assert.deepEqual(
      targets.filter((target) => !target.startsWith('https://') && !known.includes(target)),
      [],
    );
    const guides = ['partner-guide', 'webhooks', 'sandbox', 'errors'].map((name) =>
      readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'),
    );
    const lost = guides.join('\n').match(/\]\((?:(?:partner-guide|webhooks|sandbox|errors)\.md)?(?:#[\w-]+)?\)/g) ?? [];
    assert.equal(
      targets.filter((target) => target.startsWith('#tag/')).length,
      lost.length,
      'a link to a heading that is not there',
    );
  });
});

describe('Markdown, for programs that read', () => {
  test('llms.txt lists every guide, and each is there; every link of one leads to another or outside', async () => {
    const list = await docs('llms.txt');
    assert.equal(list.headers.get('content-type'), 'text/plain; charset=utf-8');
    const text = await list.text();
    const listed = [...text.matchAll(/^- \[(.+)\]\((.+)\): (.+)$/gm)];
    assert.deepEqual(
      listed.map(([, , name]) => name),
      [...MARKDOWN_PAGES, 'openapi.json', 'postman.json'],
    );
    for (const [, title, name = '', about = ''] of listed) {
      const page = await docs(name);
      assert.equal(page.status, 200, name);
      assert.ok(about.length > 20, name);
      if (!name.endsWith('.md')) continue;
      assert.equal(page.headers.get('content-type'), 'text/markdown; charset=utf-8');
      const markdown = await page.text();
      assert.ok(markdown.startsWith(`# ${title}\n`), name);
      for (const [, target = ''] of markdown.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
        assert.equal((await fetch(new URL(target, `${baseUrl}/docs/${name}`))).status, 200, `${name}: ${target}`);
    }
  });
});

describe('nobody takes the service away by it (no key is asked for)', () => {
  test('a file is made once: compressed for who takes it so, and known again by its tag', async () => {
    const plain = await docs('scalar.js', { headers: { 'accept-encoding': 'identity' } });
    const bytes = Buffer.from(await plain.arrayBuffer());
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=300');
    const compressed = await readRaw('scalar.js', 'Accept-Encoding: gzip\r\n');
    assert.ok(compressed.length < bytes.length / 3);
    assert.ok(gunzipSync(compressed).equals(bytes));
    const etag = plain.headers.get('etag') as string;
    const again = await docs('scalar.js', { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, (await again.arrayBuffer()).byteLength], [304, 0]);
  });

  test('who asks and does not read takes places of the reference, and none of the interface', async () => {
    const { client } = await service.newPartner();
    const sockets = Array.from({ length: 40 }, () => connect(Number(new URL(baseUrl).port), '127.0.0.1').pause());
    for (const socket of sockets) socket.on('error', () => {}).write('GET /docs/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n');
    let refused = await docs('');
    while (refused.status === 200) refused = await docs('');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2']);
    assert.equal((await client.confirm()).status, 201);
    for (const socket of sockets) socket.destroy();
    let page = await docs('');
    while (page.status !== 200) page = await docs('');
    assert.equal(page.status, 200);
  });
});

/** The bytes of the body as they are sent. */
function readRaw(name: string, header: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1').on('error', reject);
    socket.write(`GET /docs/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => {
      const all = Buffer.concat(chunks);
      resolve(all.subarray(all.indexOf('\r\n\r\n') + 4));
    });
  });
}

describe('REFERENCE', () => {
  const keys = {
    SECRETS_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
    AUDIT_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
  };

  test('is on in the sandbox and off in production, unless it is asked for', () => {
    assert.equal(readConfig({}).showsReference, true);
    assert.equal(readConfig({ REFERENCE: 'off' }).showsReference, false);
    const production = { SERVICE_ENVIRONMENT: 'production', ...keys };
    assert.equal(readConfig(production).showsReference, false);
    assert.equal(readConfig({ ...production, REFERENCE: 'on' }).showsReference, true);
    assert.throws(() => readConfig({ REFERENCE: 'yes' }), /REFERENCE must be on or off/);
  });
});
