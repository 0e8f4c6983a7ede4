/** `/docs`: the pages, the reference and the search, as a browser gets them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type Dirent, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import MiniSearch, { type Options } from 'minisearch';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { VERSION } from '../../sdk/src/version.ts';
import { readConfig } from '../../src/config.ts';
import { markdownName, PAGE_GROUPS, PAGES, SERVED_FILES } from '../../src/partner-api/docs/pages.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { document, writtenDocument } from '../support/published.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

buildSdk();
const service = await testService();
const { baseUrl } = service;
const docs = (name: string, init?: RequestInit) => fetch(new URL(name, `${baseUrl}/docs/`), init);
const run = promisify(execFile);

/** Every first group of the pattern's matches. */
function find(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

/** What a page links to and loads, as addresses below `/docs/`; other sites are left out. */
function targetsOf(name: string, html: string): string[] {
  const own = `${baseUrl}/docs/`;
  return find(html, /(?:src|href)="([^"]+)"/g)
    .map((target) => new URL(target, own + name).href)
    .filter((target) => !target.startsWith('https://'))
    .map((target) => decodeURIComponent(target.replace(own, '')));
}

const pages = new Map<string, string>();
for (const { name } of PAGES) pages.set(name, await (await docs(name)).text());

describe('the pages', () => {
  for (const page of PAGES)
    test(`/docs/${page.name}: loads its own files alone, in its language, with its Markdown beside it`, async () => {
      const { status, headers } = await docs(page.name);
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.doesNotMatch(policy, /https?:|\*|unsafe/);
      const html = pages.get(page.name) ?? '';
      assert.doesNotMatch(html, /<script>|<style| style="| on\w+="/);
      assert.deepEqual(
        find(html, /<html lang="(\w+)"/g).concat(find(html, /<html lang="\w+" dir="(\w+)"/g)),
        page.language === 'ar' ? ['ar', 'rtl'] : ['en'],
      );
      assert.equal(find(html, /<h1/g).length, 1);
      const [markdown = ''] = find(html, /<link rel="alternate" type="text\/markdown" href="([^"]+)">/g);
      const text = await (await fetch(new URL(markdown, `${baseUrl}/docs/${page.name}`))).text();
      assert.match(text, /^# .+\n/);
    });

  test('every link leads to a file that is there, and to a heading of it', async () => {
    const targets = new Set([...pages].flatMap(([name, html]) => targetsOf(name, html)));
    assert.ok(targets.size > 150, `only ${targets.size} links`);
    const lost: string[] = [];
    for (const target of targets) {
      const [name = '', anchor] = target.split('#');
      const page = pages.get(name);
      const isThere = page !== undefined || (await docs(name)).status === 200;
      if (!isThere || (anchor !== undefined && page && !page.includes(`id="${anchor}"`))) lost.push(target);
    }
    assert.deepEqual(lost, []);
  });

  test('each has all of the navigation, with itself marked in it', () => {
    for (const [name, html] of pages) {
      const [, navigation = ''] = /<nav class="pages"[^>]*>(.+?)<\/nav>/s.exec(html) ?? [];
      const linked = targetsOf(name, navigation);
      const missing = PAGE_GROUPS.flatMap((group) => group.pages.map((page) => page.name)).filter(
        (each) => !linked.includes(each),
      );
      assert.deepEqual(missing, [], name);
      assert.equal(find(navigation, /aria-current="(page)"/g).length, name === '' ? 0 : 1, name);
    }
  });

  test('HTML in a document is shown, but for the direction of a text, and a diagram is a table', () => {
    assert.match(pages.get('partner-guide') ?? '', /<td><span dir="rtl">2\.56 [^<]+<\/span><\/td>/);
    for (const [name, html] of pages) assert.doesNotMatch(html, /&lt;\/?span/, name);
    assert.match(pages.get('customer-texts') ?? '', /&lt;0\.01/);
    assert.match(pages.get('partner-guide') ?? '', /<tr><td>pending<\/td><td>later look-up<\/td><td>failed<\/td><\/tr>/);
    for (const [name, html] of pages) assert.doesNotMatch(html, /mermaid|\[\*\]/, name);
  });

  test('/docs leads to /docs/, and what is not there is a 404 with the envelope', async () => {
    assert.equal((await fetch(`${baseUrl}/docs`)).url, `${baseUrl}/docs/`);
    for (const name of ['nothing', 'operating', 'operating.md', '..%2fpackage.json', 'guides/../../package.json']) {
      const missing = await docs(name);
      assert.equal(missing.status, 404, name);
      assert.equal(missing.headers.get('cache-control'), 'no-store');
    }
  });
});

test('the package of the service has every file that a page is made of', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const packed = files.map(({ path }) => path);
  const made = [...PAGES.map(({ source }) => source), ...Object.values(SERVED_FILES), 'sdk/dist/index.js', 'sdk/package.json'];
  const site = readdirSync(join(ROOT, 'docs/site')).map((name) => `docs/site/${name}`);
  assert.deepEqual(
    [...made, ...site].filter((path) => !packed.includes(path)),
    [],
  );
});

describe('the reference', () => {
  test('all that it loads comes from the service itself, and its policy lets nothing else in', async () => {
    const page = await docs('reference');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /https?:|\*|script-src[^;]*unsafe/);
    const html = await page.text();
    for (const target of targetsOf('reference', html)) assert.equal((await docs(target)).status, 200, target);
    assert.deepEqual(find(html, /<script[^>]* src="([^"]+)"/g), ['theme.js', 'site.js', 'scalar.js', 'reference.js']);
    assert.doesNotMatch(html, /<script>|<style|scalar\.com/);
  });

  test("the maker's own controls are off: share, deploy, ask, connect, telemetry, fonts", async () => {
    const start = await (await docs('reference.js')).text();
    const [, json = ''] = /\.\.\.(\{.*\}), servers,/.exec(start) ?? [];
    const configuration = JSON.parse(json);
    assert.deepEqual(
      ['showDeveloperTools', 'hideClientButton', 'agent', 'mcp', 'telemetry', 'withDefaultFonts', 'proxyUrl'].map(
        (name) => configuration[name],
      ),
      ['never', true, { disabled: true }, { disabled: true }, false, false, ''],
    );
    assert.deepEqual([configuration.url, configuration.favicon], ['openapi.json', 'icon.svg']);
  });

  test('openapi.json is the checked-in document, digit for digit', async () => {
    assert.equal(await (await docs('openapi.json')).text(), writtenDocument);
  });
});

describe('the search', () => {
  const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

  /** As `site.js` does it. @returns The addresses that are found, the best first. */
  async function search(...queries: string[]): Promise<string[][]> {
    const { options, index, texts } = (await (await docs('search.json')).json()) as {
      options: Options;
      index: Parameters<typeof MiniSearch.loadJS>[0];
      texts: { address: string }[];
    };
    const loaded = MiniSearch.loadJS(index, options);
    return queries.map((query) => loaded.search(fold(query)).map(({ id }) => texts[id]?.address ?? ''));
  }

  test('finds titles, texts, operations, error codes, and Arabic with or without marks', async () => {
    const expected = {
      partner_order_conflict: 'errors#partner_order_conflict',
      'idempotency keys': 'partner-guide#idempotency-keys',
      confirmContribution: 'reference#tag/contributions/POST/v1/impact-transactions',
      'X-Service-Signature-Next': 'webhooks#headers',
      'SIM-503-TWICE': 'sandbox#the-same-without-a-header',
      'what goes wrong': 'afternoon/6-what-goes-wrong',
      'حالة المساهمة': 'ar/contributions#حالة-المساهمة',
      مؤكدة: 'ar/contributions#حالة-المساهمة',
    };
    const found = await search(...Object.keys(expected));
    for (const [index, [query, address]] of Object.entries(expected).entries())
      assert.ok(found[index]?.slice(0, 3).includes(address), `${query}: ${found[index]?.slice(0, 5)}`);
    assert.deepEqual(await search('xyzzy'), [[]]);
  });

  test('every operation and every section is in it, and each address is there', async () => {
    const { texts } = (await (await docs('search.json')).json()) as { texts: { address: string }[] };
    const operations = Object.values(document.paths as Record<string, object>).flatMap((path) => Object.keys(path));
    const addresses = texts.map(({ address }) => address);
    assert.equal(addresses.filter((address) => address.startsWith('reference#')).length, operations.length);
    for (const address of addresses.filter((each) => !each.startsWith('reference#'))) {
      const [name = '', anchor] = address.split('#');
      assert.ok(anchor === undefined ? pages.has(name) : pages.get(name)?.includes(`id="${anchor}"`), address);
    }
    const headings = [...pages].flatMap(([name, html]) =>
      find(html, /<h[2-6] id="([^"]+)"/g).map((anchor) => `${name}#${anchor}`),
    );
    assert.deepEqual(
      headings.filter((address) => !addresses.includes(address)),
      [],
    );
  });
});

describe('an address that is no page', () => {
  for (const [from, to] of [
    ['partner-guide/', 'partner-guide'],
    ['afternoon', 'afternoon/1-first-call'],
    ['afternoon/', 'afternoon/1-first-call'],
    ['ar', 'ar/contributions'],
  ] as const)
    test(`${from} leads to ${to}`, async () => {
      const answer = await docs(from);
      assert.deepEqual([answer.status, answer.url], [200, `${baseUrl}/docs/${to}`]);
    });

  test('another one is a page for a browser, and JSON for a program that names the document which is served', async () => {
    const shown = await docs('afternoon/<b>7', { headers: { accept: 'text/html,*/*' } });
    const text = await shown.text();
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    assert.ok(text.includes('href="../reference"') && !text.includes('<b>'), text);
    const read = await docs('nowhere');
    const { error } = (await read.json()) as { error: { code: string; message: string } };
    assert.deepEqual([read.status, error.code], [404, 'invalid_request']);
    const [named = ''] = error.message.match(/\/docs\/openapi\.json/) ?? [];
    assert.equal((await fetch(baseUrl + named)).status, 200);
  });

  test('every page shows the version of the service', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of ['', 'sandbox', 'ar/emissions'])
      assert.ok((await (await docs(name)).text()).includes(` ${version}</span>`));
    assert.equal(((await (await docs('openapi.json')).json()) as { info: { version: string } }).info.version, version);
  });
});

describe('for programs', () => {
  test('llms.txt lists every page, and each is there; every link of one leads to another or outside', async () => {
    const list = await docs('llms.txt');
    assert.equal(list.headers.get('content-type'), 'text/plain; charset=utf-8');
    const text = await list.text();
    const listed = [...text.matchAll(/^- \[(.+)\]\((.+)\): (.+)$/gm)];
    assert.deepEqual(
      listed.map(([, , name]) => name),
      [
        ...PAGES.slice(1).map(markdownName),
        'openapi.json',
        'postman.json',
        'bruno.tgz',
        'partner-impact-sdk.tgz',
        `partner-impact-sdk-${VERSION}.tgz`,
      ],
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

  test('bruno.tgz is the folder of requests', async () => {
    const bytes = gunzipSync(Buffer.from(await (await docs('bruno.tgz')).arrayBuffer()));
    const names = globSync('bruno/**/*.{bru,json}', { cwd: join(ROOT, 'openapi') });
    assert.ok(names.length > 20);
    for (const name of names) assert.ok(bytes.includes(`${name}\0`), name);
  });

  test('llms.txt is where programs look for it, too', async () => {
    const answer = await fetch(`${baseUrl}/llms.txt`);
    assert.deepEqual([answer.status, answer.url], [200, `${baseUrl}/docs/llms.txt`]);
  });

  test('the files that pages link to are those of the repository, as text', async () => {
    for (const name of Object.keys(SERVED_FILES)) {
      const file = await docs(name);
      assert.deepEqual(
        [file.status, /^(?:text\/plain|application\/json);/.test(file.headers.get('content-type') ?? '')],
        [200, true],
      );
    }
  });

  test('the address with a version has the same bytes for ever, and pins them in a lock file', async () => {
    const [plain, versioned] = await Promise.all(['', `-${VERSION}`].map((version) => docs(`partner-impact-sdk${version}.tgz`)));
    assert.deepEqual(
      [plain, versioned].map((each) => each?.headers.get('cache-control')),
      ['public, max-age=300', 'public, max-age=31536000, immutable'],
    );
    const read = async (answer: Response | undefined) => Buffer.from(await (answer as Response).arrayBuffer());
    const [bytes, same] = [await read(plain), await read(versioned)];
    assert.ok(bytes.equals(same) && gunzipSync(bytes).byteLength > 100_000);
    assert.equal((await docs('partner-impact-sdk-0.0.1.tgz')).status, 404);
    const recorded = new Map(
      readFileSync(join(ROOT, 'sdk/releases.txt'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
    assert.equal(
      createHash('sha256').update(bytes).digest('hex'),
      recorded.get(VERSION),
      `The package differs from its release ${VERSION}. Raise its version (sdk/package.json, sdk/src/version.ts, sdk/CHANGELOG.md), then npm run sdk:release.`,
    );
    for (const [version, sha256] of recorded) {
      const served = await docs(`partner-impact-sdk-${version}.tgz`);
      assert.equal(served.headers.get('cache-control'), 'public, max-age=31536000, immutable', version);
      assert.equal(
        createHash('sha256')
          .update(await read(served))
          .digest('hex'),
        sha256,
        version,
      );
    }
    assert.ok(recorded.has('1.0.0'));
    const folder = temporaryFolder('sdk-pinned');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const address = `${baseUrl}/docs/partner-impact-sdk-${VERSION}.tgz`;
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', address], { cwd: folder });
    const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    assert.equal(readJson('package.json').dependencies['@partner-impact/sdk'], address);
    const { version, integrity } = readJson('package-lock.json').packages['node_modules/@partner-impact/sdk'];
    assert.deepEqual([version, integrity], [VERSION, `sha512-${createHash('sha512').update(bytes).digest('base64')}`]);
  });

  test('every address of a version in the documents is that of the package', () => {
    const named = PAGES.flatMap(
      ({ source }) => readFileSync(join(ROOT, source), 'utf8').match(/partner-impact-sdk-\d+\.\d+\.\d+/g) ?? [],
    );
    assert.deepEqual([...new Set(named)], [`partner-impact-sdk-${VERSION}`]);
  });

  test('partner-impact-sdk.tgz is the package: npm installs it, and a program imports it', async () => {
    const folder = temporaryFolder('sdk-from-docs');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const address = `${baseUrl}/docs/partner-impact-sdk.tgz`;
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', address], { cwd: folder });
    const program = `import { PartnerImpact } from '@partner-impact/sdk';
      console.log(PartnerImpact.intent({ orderRef: 'order-1', points: 9007199254740993n }).points)`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    assert.equal(stdout, '9007199254740993\n');
    const listed = readdirSync(join(folder, 'node_modules/@partner-impact/sdk'), { recursive: true, withFileTypes: true });
    const compiled = readdirSync(join(ROOT, 'sdk/dist'), { recursive: true, withFileTypes: true });
    const namesOf = (entries: Dirent[]) => entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    assert.deepEqual(
      namesOf(listed).sort(),
      [...namesOf(compiled), 'package.json', 'README.md', 'REFERENCE.md', 'CHANGELOG.md', 'LICENSE'].sort(),
    );
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
    const refused = await waitFor('refusal', async () => {
      const answer = await docs('');
      return answer.status !== 200 && answer;
    });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2']);
    assert.equal((await client.confirm()).status, 201);
    for (const socket of sockets) socket.destroy();
    await waitFor('page', async () => (await docs('')).status === 200);
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
    assert.equal(readConfig({}).servesReference, true);
    assert.equal(readConfig({ REFERENCE: 'off' }).servesReference, false);
    const production = { SERVICE_ENVIRONMENT: 'production', ...keys };
    assert.equal(readConfig(production).servesReference, false);
    assert.equal(readConfig({ ...production, REFERENCE: 'on' }).servesReference, true);
    assert.throws(() => readConfig({ REFERENCE: 'yes' }), /REFERENCE must be on or off/);
  });
});
