import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Environment } from '../../domain/access/api-key.ts';
import { readScalar, startProgram } from './api-reference.ts';
import { readMarkdownPages, repositoryFile, writePageList } from './markdown-pages.ts';
import { framePage, frameReference } from './page-frame.ts';
import { archiveName, markdownName, SERVED_FILES } from './pages.ts';
import { renderMarkdown } from './render-markdown.ts';
import { packBruno, packSdk, readSdkReleases } from './sdk-archive.ts';
import { writeSearchIndex } from './search-index.ts';

/** A file of the documentation, in the two forms in which it is sent. */
export interface DocsFile {
  readonly type: string;
  readonly plain: Uint8Array;
  readonly compressed: Uint8Array;
  /** The entity tag of the plain bytes. */
  readonly etag: string;
  /** The name has the version of its bytes. */
  readonly isImmutable: boolean;
}

/** The files by their names below `/docs/`; the page at `/docs/` itself has the empty name. */
export type DocsFiles = ReadonlyMap<string, DocsFile>;

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
};

type Named = readonly [name: string, bytes: string | Uint8Array, type?: string];

/** The name of a package's archive that has its version: its bytes never change. */
const VERSIONED = /-\d+\.\d+\.\d+\.tgz$/;

/** Every file of the documentation, made once; one of its programs is megabytes, so that no start waits for it. */
export async function buildDocsFiles(environment: Environment): Promise<DocsFiles> {
  const read = async (name: string, path: string): Promise<Named> => [name, await readFile(repositoryFile(path))];
  const site = ['site.css', 'site.js', 'theme.js', 'icon.svg'].map((name) => read(name, `docs/site/${name}`));
  const served = Object.entries(SERVED_FILES).map(([name, path]) => read(name, path));
  const sdk = await packSdk();
  const earlier = (await readSdkReleases()).filter(({ version }) => version !== sdk?.version);
  const named: Named[] = [
    ...(await buildPages(sdk?.version)),
    ...(await Promise.all([...site, ...served])),
    ['bruno.tgz', await packBruno()],
    ['reference.js', startProgram(environment)],
    ['scalar.js', await readScalar()],
    ['minisearch.js', await readFile(fileURLToPath(import.meta.resolve('minisearch')))],
    ...earlier.map(({ version, bytes }) => [archiveName(version), bytes] as const),
    ...(sdk ? ['partner-impact-sdk.tgz', archiveName(sdk.version)].map((name) => [name, sdk.bytes] as const) : []),
  ];
  return new Map(await Promise.all(named.map(async (each) => [each[0], await buildFile(each)] as const)));
}

/** Each page as HTML and as Markdown, with the list of all and the index of their texts. */
async function buildPages(sdkVersion: string | undefined): Promise<Named[]> {
  const pages = await readMarkdownPages();
  const titles = new Map([...pages.map(({ name, title }) => [name, title] as const), ['reference', 'API reference'] as const]);
  const rendered = pages.map((page) => ({ page, ...renderMarkdown(page.text) }));
  const openapi = JSON.parse(await readFile(repositoryFile('openapi/partner.json'), 'utf8'));
  return [
    ...rendered.flatMap(({ page, ...made }): Named[] => [
      [page.name, framePage(page, made, titles), 'html'],
      [markdownName(page), page.text],
    ]),
    ['reference', frameReference(titles), 'html'],
    ['llms.txt', writePageList(pages, sdkVersion)],
    ['search.json', writeSearchIndex(rendered, openapi)],
  ];
}

async function buildFile([name, bytes, extension = name.split('.').at(-1) ?? '']: Named): Promise<DocsFile> {
  const plain = Buffer.from(bytes);
  // Weak, because the compressed bytes have it too.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  const type = extension === 'tgz' ? 'application/gzip' : `${TYPES[extension] ?? 'text/plain'}; charset=utf-8`;
  return { type, plain, compressed: await promisify(gzip)(plain), etag, isImmutable: VERSIONED.test(name) };
}
