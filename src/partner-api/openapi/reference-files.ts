import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify from 'fastify';
import type { Environment } from '../../domain/access/api-key.ts';
import { writeDocument } from './build-document.ts';
import { readMarkdownPages } from './markdown-pages.ts';
import type { Json } from './openapi-schemas.ts';
import { readGuides } from './reference-guides.ts';

/** A file of the reference, in the two forms in which it is sent. */
export interface ReferenceFile {
  readonly type: string;
  readonly plain: Uint8Array;
  readonly compressed: Uint8Array;
  /** Of the plain bytes. */
  readonly etag: string;
}

export type ReferenceFiles = ReadonlyMap<string, ReferenceFile>;

/** Every file of the reference, made once; its program is megabytes, so that no start waits for it. */
export async function buildReferenceFiles(environment: Environment): Promise<ReferenceFiles> {
  const openapi = await readFile(new URL('../../../openapi/partner.json', import.meta.url), 'utf8');
  const postman = await readFile(new URL('../../../openapi/postman.json', import.meta.url), 'utf8');
  const texts: [name: string, type: string, text: string][] = [
    ['', 'text/html; charset=utf-8', PAGE],
    ['icon.svg', 'image/svg+xml', ICON],
    ['start.js', 'text/javascript; charset=utf-8', startProgram(environment)],
    ['scalar.js', 'text/javascript; charset=utf-8', await readScalar()],
    ['reference.json', 'application/json; charset=utf-8', writeDocument(await addGuides(JSON.parse(openapi)))],
    ['openapi.json', 'application/json; charset=utf-8', openapi],
    ['postman.json', 'application/json; charset=utf-8', postman],
    ...(await readMarkdownPages()).map(asMarkdown),
  ];
  const files = texts.map(async ([name, type, text]) => [name, await buildFile(type, Buffer.from(text))] as const);
  return new Map(await Promise.all(files));
}

function asMarkdown([name, text]: readonly [name: string, text: string]): [name: string, type: string, text: string] {
  return [name, `text/${name.endsWith('.md') ? 'markdown' : 'plain'}; charset=utf-8`, text];
}

/** The document as the page shows it. The one that is there to be fetched is the interface alone. */
async function addGuides(document: Json): Promise<Json> {
  const { tags, groups } = await readGuides();
  const own = document['tags'] as readonly { readonly name: string }[];
  const info = document['info'] as Json;
  return {
    ...document,
    info: { ...info, description: `${info['description']}\n\n${BEGINNING}` },
    tags: [...own, ...tags],
    'x-tagGroups': [{ name: 'Reference', tags: own.map(({ name }) => name) }, ...groups],
  };
}

const BEGINNING =
  'Begin with [an afternoon](afternoon/1-first-call.md) or the [partner guide](#tag/partner-guide). The interface is also there as [OpenAPI 3.1](openapi.json) and as a [Postman collection](postman.json), the guides as [Markdown](llms.txt).';

async function buildFile(type: string, plain: Buffer): Promise<ReferenceFile> {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, compressed: await promisify(gzip)(plain), etag };
}

/** The package has its program as a text only, which its plugin serves. */
async function readScalar(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/scalar', configuration: { url: '/none' } });
  const { payload } = await app.inject({ method: 'GET', url: '/scalar/js/scalar.js' });
  await app.close();
  return payload;
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Partner Impact</title>
<link rel="icon" type="image/svg+xml" href="icon.svg">
</head>
<body>
<div id="reference"></div>
<script src="scalar.js"></script>
<script src="start.js"></script>
</body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f6f4a"/>
<path d="M9 23c0-9 5-14 14-14 0 9-5 14-14 14Zm0 0 8-8" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/**
 * The link to the maker of the page's program is hidden; its licence is kept in the program itself. On a phone a table moves
 * sideways, and its words stay whole.
 */
const CUSTOM_CSS = `a[href^="https://www.scalar.com"] { display: none; }
#reference table:not([role=dialog] table, .scalar-data-table table) { display: block; overflow-x: auto; }
#reference table:not([role=dialog] table, .scalar-data-table table) :is(th, td) {
  min-width: 7em !important; word-break: normal !important; overflow-wrap: normal !important;
}`;

/** A production key has no place in a browser, so that requests can be sent from the sandbox's page alone. */
function startProgram(environment: Environment): string {
  const configuration = {
    url: 'reference.json',
    title: 'Partner Impact',
    favicon: 'icon.svg',
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'none',
    hideTestRequestButton: environment === 'production',
    metaData: { title: 'Partner Impact' },
    customCss: CUSTOM_CSS,
  };
  // The service that sends the page is the one that it describes, at the address that its reader has for it.
  return `const address = new URL('..', location.href.split(/[?#]/)[0]).href.replace(/\\/$/, '');
const servers = [{ url: address, description: 'The environment that serves this page.' }];
Scalar.createApiReference('#reference', { ...${JSON.stringify(configuration)}, servers });
`;
}
