/** Imports point one way. Read top to bottom, the table is the architecture. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Which folders of `src/` each folder may import. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  concurrency: ['domain'],
  'embedded-postgres': [],
  store: ['domain'],
  wire: ['domain', 'store'],
  operations: ['domain', 'concurrency', 'store', 'wire'],
  webhooks: ['domain', 'concurrency', 'store', 'wire', 'operations'],
  'partner-api': ['domain', 'concurrency', 'store', 'wire', 'operations'],
  schedule: ['domain', 'concurrency', 'store', 'wire', 'operations', 'webhooks'],
  observability: [],
  service: ['.', 'domain', 'embedded-postgres', 'store', 'operations', 'webhooks', 'partner-api', 'schedule', 'observability'],
  commands: ['.', 'service', 'domain', 'store', 'wire', 'operations', 'webhooks', 'partner-api', 'schedule', 'observability'],
  '.': ['domain', 'commands'],
};

/** Packages that only one folder may know. */
const ONLY_IN: Record<string, readonly string[]> = {
  pg: ['store'],
  kysely: ['store'],
  fastify: ['partner-api'],
  undici: ['webhooks'],
  'ipaddr.js': ['partner-api', 'domain'],
  commander: ['commands'],
  croner: ['schedule'],
  'prom-client': ['observability'],
  pino: ['observability'],
  'currency-codes': ['domain'],
  'temporal-polyfill': ['domain'],
};

interface SourceFile {
  /** Relative to `src/`, with `/`. */
  readonly path: string;
  readonly text: string;
}

function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] as string) : '.';
}

function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) =>
    target.startsWith('.') ? new URL(target, `file:///src/${path}`).pathname.slice('/src/'.length) : target,
  );
}

/** A sentence for each import that points the wrong way. */
function listViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const folder = folderOf(file.path);
    return importsOf(file)
      .filter((target) => !isAllowed(folder, target))
      .map((target) => `${file.path} imports ${target}`);
  });
}

function isAllowed(folder: string, target: string): boolean {
  if (target.startsWith('node:')) return true;
  const packageName = target.split('/')[0] as string;
  if (target.endsWith('.ts')) return folderOf(target) === folder || (MAY_IMPORT[folder] ?? []).includes(folderOf(target));
  return ONLY_IN[packageName]?.includes(folder) ?? true;
}

async function readSources(): Promise<SourceFile[]> {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  const paths = (await readdir(root, { recursive: true })).filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(root + path, 'utf8') })));
}

const sources = await readSources();

test('every folder of src/ has its line in the table', () => {
  assert.deepEqual([...new Set(sources.map(({ path }) => folderOf(path)))].sort(), Object.keys(MAY_IMPORT).sort());
});

test('imports point one way', () => {
  assert.ok(sources.length > 50);
  assert.deepEqual(listViolations(sources), []);
});

describe('the guard bites', () => {
  const planted: [string, string][] = [
    ['domain/planted.ts', "import { openDatabase } from '../store/database.ts';"],
    ['store/planted.ts', "import { getPartner } from '../operations/manage-partner.ts';"],
    ['operations/planted.ts', "import { sendError } from '../partner-api/errors.ts';"],
    ['operations/planted.ts', "import pg from 'pg';"],
    ['wire/planted.ts', "import { sql } from 'kysely';"],
    ['domain/planted.ts', "const { Pool } = await import('pg');"],
    ['webhooks/planted.ts', "import { sendError } from '../partner-api/errors.ts';"],
    ['operations/planted.ts', "import { request } from 'undici';"],
    ['store/planted.ts', "import type { FastifyReply } from 'fastify';"],
  ];
  for (const [path, text] of planted) {
    test(`${path}: ${text}`, () => assert.equal(listViolations([{ path, text }]).length, 1));
  }
});

test('only main.ts and the command line touch the process', () => {
  const touching = sources
    .filter(({ text }) => /\bprocess\.(?:exit|on|argv|stdout|exitCode)\b/.test(text))
    .map(({ path }) => folderOf(path));
  assert.deepEqual(
    [...new Set(touching)].filter((folder) => folder !== 'commands' && folder !== 'service' && folder !== '.'),
    [],
  );
});

test('each folder opens with what belongs there and what does not', () => {
  const openings = [
    'store/database.ts',
    'operations/contributions/confirm-contribution.ts',
    'webhooks/security/signature.ts',
    'partner-api/app.ts',
    'commands/program.ts',
    'observability/log.ts',
    'schedule/job.ts',
    'domain/error-codes.ts',
  ];
  for (const path of openings) assert.match(sources.find((file) => file.path === path)?.text ?? '', /^\/\*\*/, path);
});
