/** Imports point one way. Read top to bottom, the tables are the architecture. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { document, folderOf, layerOf, readTable, type SourceFile, sources } from '../support/source-files.ts';

/** Which layers of `src/` each layer may import. A file at the root of `src/` is a layer by its own name. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  concurrency: ['domain'],
  'embedded-postgres': [],
  store: ['domain'],
  wire: ['domain', 'store'],
  operations: ['domain', 'concurrency', 'store', 'wire'],
  webhooks: ['domain', 'concurrency', 'store', 'wire', 'operations'],
  schedule: ['domain', 'concurrency', 'store', 'operations'],
  'sample-data': ['domain', 'concurrency', 'store', 'operations', 'webhooks', 'schedule'],
  'partner-api': ['domain', 'concurrency', 'store', 'wire', 'operations', 'webhooks'],
  'operator-api': ['domain', 'concurrency', 'store', 'wire', 'operations', 'webhooks', 'partner-api'],
  observability: [],
  'web-console': [],
  'config.ts': ['domain'],
  service: [
    'domain',
    'embedded-postgres',
    'store',
    'operations',
    'webhooks',
    'schedule',
    'partner-api',
    'operator-api',
    'sample-data',
    'web-console',
    'observability',
    'config.ts',
  ],
  commands: ['domain', 'store', 'wire', 'operations', 'webhooks', 'schedule', 'config.ts', 'service'],
  'main.ts': ['commands'],
};

/** Packages that only some layers may know. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  'currency-codes': ['domain'],
  'ipaddr.js': ['domain'],
  'temporal-polyfill': ['domain'],
  ulid: ['domain'],
  '@simplewebauthn/server': ['operations'],
  otpauth: ['operations'],
  pg: ['store'],
  undici: ['webhooks'],
  croner: ['schedule'],
  '@fastify': ['partner-api'],
  '@scalar': ['partner-api'],
  ajv: ['partner-api'],
  'fastest-levenshtein': ['commands', 'partner-api'],
  fastify: ['partner-api', 'operator-api'],
  marked: ['partner-api'],
  minisearch: ['partner-api'],
  typebox: ['partner-api', 'operator-api'],
  pino: ['observability'],
  'prom-client': ['observability'],
  commander: ['commands'],
  'string-width': ['commands'],
};
/**
 * Which columns of its own layer a column may import; each may import the files at the layer's root. `create-operations` puts all
 * operations together, `start-webhooks` all of the webhooks; no other file at the root may import every column.
 */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  operations: {
    audit: [],
    events: [],
    settlements: ['audit'],
    access: ['audit', 'settlements'],
    quotas: ['audit', 'access'],
    rules: ['audit', 'settlements', 'access'],
    emissions: ['quotas'],
    contributions: ['audit', 'events', 'access', 'quotas', 'rules', 'emissions'],
    reconciliations: ['audit', 'settlements', 'quotas'],
    adjustments: ['audit', 'settlements', 'access', 'rules'],
    impact: ['audit', 'access'],
    sandbox: ['audit', 'settlements', 'access', 'quotas', 'emissions', 'contributions', 'adjustments', 'impact'],
    verification: ['audit', 'settlements', 'rules', 'impact'],
    overview: ['access', 'contributions', 'settlements'],
  },
  store: {
    schema: [],
    jobs: [],
    audit: [],
    quotas: [],
    rules: [],
    webhooks: [],
    impact: [],
    reconciliations: [],
    events: ['webhooks'],
    access: ['audit', 'webhooks'],
    emissions: [],
    contributions: ['emissions'],
    settlements: ['events'],
    adjustments: ['settlements'],
    sandbox: [],
  },
  webhooks: {
    security: [],
    delivery: ['security'],
    relay: ['delivery'],
    endpoints: ['security', 'delivery'],
    receiver: ['security'],
  },
};
const ABOVE_ALL_COLUMNS = ['operations/create-operations.ts', 'webhooks/start-webhooks.ts'];
/** The folder of a layer that a file stands in; its name without a folder where it stands at the root. */
const columnOf = (path: string): string => path.split('/')[1] as string;
function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) =>
    target.startsWith('.') ? new URL(target, `file:///src/${path}`).pathname.slice('/src/'.length) : target,
  );
}

/** A sentence for each import that points the wrong way. */
function listViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((target) => !isAllowed(file.path, target))
      .map((target) => `${file.path} imports ${target}`),
  );
}

function isAllowed(path: string, target: string): boolean {
  if (target.startsWith('node:')) return true;
  const layer = layerOf(path);
  if (!target.endsWith('.ts')) return ONLY_IN[target.split('/')[0] as string]?.includes(layer) ?? true;
  if (layerOf(target) !== layer) return (LAYERS[layer] ?? []).includes(layerOf(target));
  return isAllowedInLayer(path, target);
}

/** Between two files of one layer. */
function isAllowedInLayer(path: string, target: string): boolean {
  const columns = COLUMNS[layerOf(path)];
  const [from, to] = [columnOf(path), columnOf(target)];
  if (columns === undefined || from === to || ABOVE_ALL_COLUMNS.includes(path)) return true;
  if (to.endsWith('.ts')) return !ABOVE_ALL_COLUMNS.includes(target);
  return columns[from]?.includes(to) ?? false;
}
describe('imports', () => {
  test('every layer of src/, and every file at its root, has its line in the table', () => {
    assert.deepEqual([...new Set(sources.map(({ path }) => layerOf(path)))].sort(), Object.keys(LAYERS).sort());
  });

  test('point one way, between layers and between the columns of a layer', () => {
    assert.ok(sources.length > 300);
    assert.deepEqual(listViolations(sources), []);
  });

  test('a layer or a column is allowed no import that it does not have', () => {
    const edges = new Set(
      sources.flatMap((file) =>
        importsOf(file).flatMap((target) => [
          `${layerOf(file.path)} ${layerOf(target)}`,
          `${folderOf(file.path)} ${folderOf(target)}`,
        ]),
      ),
    );
    const allowed = [
      ...Object.entries(LAYERS).flatMap(([layer, may]) => may.map((each) => `${layer} ${each}`)),
      ...Object.entries(COLUMNS).flatMap(([layer, columns]) =>
        Object.entries(columns).flatMap(([column, may]) => may.map((each) => `${layer}/${column} ${layer}/${each}`)),
      ),
    ];
    assert.deepEqual(
      allowed.filter((edge) => !edges.has(edge)),
      [],
    );
  });

  test('no column is in a circle: each imports those before it alone', () => {
    for (const [layer, columns] of Object.entries(COLUMNS)) {
      const names = Object.keys(columns);
      for (const [column, may] of Object.entries(columns))
        for (const each of may) assert.ok(names.indexOf(each) < names.indexOf(column), `${layer}: ${column} before ${each}`);
    }
  });

  test('the tables of ARCHITECTURE.md are these', () => {
    const packagesOf = (layer: string) => Object.keys(ONLY_IN).filter((name) => ONLY_IN[name]?.includes(layer));
    const expected = Object.entries(LAYERS).map(([layer, may]) => [layer, may.join(', ') || '–', packagesOf(layer).join(', ')]);
    assert.deepEqual(readTable(document, 'Layer | May import').slice(2), expected);
    const orders = Object.entries(COLUMNS).map(([layer, columns]) => [layer, Object.keys(columns).join(', ')]);
    assert.deepEqual(readTable(document, 'Layer | Order of its folders').slice(2), orders);
  });

  describe('the guard bites', () => {
    const planted: [string, string][] = [
      ['domain/planted.ts', "import { openDatabase } from '../store/database.ts';"],
      ['domain/numbers/planted.ts', "import { openDatabase } from '../../store/database.ts';"],
      ['domain/planted.ts', "const { Pool } = await import('pg');"],
      ['concurrency/planted.ts', "import { run } from '../store/query.ts';"],
      ['embedded-postgres/planted.ts', "import { run } from '../store/query.ts';"],
      ['store/planted.ts', "import { getPartner } from '../operations/access/manage-partner.ts';"],
      ['store/planted.ts', "import type { FastifyReply } from 'fastify';"],
      ['wire/planted.ts', "import pg from 'pg';"],
      ['operations/planted.ts', "import { sendError } from '../partner-api/errors.ts';"],
      ['operations/planted.ts', "import pg from 'pg';"],
      ['operations/planted.ts', "import { request } from 'undici';"],
      ['webhooks/security/planted.ts', "import { sendError } from '../../partner-api/errors.ts';"],
      ['observability/planted.ts', "import { run } from '../store/query.ts';"],
      ['service/planted.ts', "import { runCommand } from '../commands/program.ts';"],
      ['config.ts', "import { openStore } from './service/open-database.ts';"],
      ['main.ts', "import { run } from './store/query.ts';"],
      ['domain/planted.ts', "import { readConfig } from '../config.ts';"],
      ['operations/audit/planted.ts', "import { getPartner } from '../access/manage-partner.ts';"],
      ['operations/settlements/planted.ts', "import { getPartner } from '../access/manage-partner.ts';"],
      ['operations/emissions/planted.ts', "import { createGetContribution } from '../contributions/get-contribution.ts';"],
      ['operations/impact/planted.ts', "import { createOperations } from '../create-operations.ts';"],
      ['operations/group-commit.ts', "import { audit } from './audit/audit.ts';"],
      ['store/query.ts', "import { findPartner } from './access/partner.ts';"],
      ['webhooks/delivery/planted.ts', "import { addEndpoint } from '../endpoints/add-endpoint.ts';"],
      ['store/emissions/planted.ts', "import { findPartner } from '../access/partner.ts';"],
    ];
    for (const [path, text] of planted) {
      test(`${path}: ${text}`, () => assert.equal(listViolations([{ path, text }]).length, 1));
    }
  });
});
test('a start loads no TypeBox, which gives types alone, nothing that writes the OpenAPI document, and of others their parts', () => {
  const importing = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  assert.deepEqual(importing(/^import (?!type\b)[^;]* from 'typebox'/m), []);
  assert.deepEqual(importing(/^import (?!type\b)[^;]* from '@fastify\/swagger'/m), ['partner-api/openapi/build-document.ts']);
  assert.deepEqual(importing(/^import (?!type\b)[^;]*\/build-document\.ts'/m), ['partner-api/openapi/render-document.ts']);
  assert.deepEqual(importing(/^import (?!type\b)[^;]* from 'undici'/m), []);
  // An import of `node:http` makes Node load its client for WebSockets as well.
  assert.deepEqual(importing(/^import (?!type\b)[^;]* from 'node:http'/m), [
    'webhooks/receiver/development-receiver.ts',
    // A process of its own loads it.
    'sample-data/receivers.ts',
  ]);
});

test('only main.ts, the service and the command line touch the process', () => {
  const touching = sources
    .filter(({ text }) => /\bprocess\.(?:exit|on|argv|stdout|exitCode)\b/.test(text))
    .map(({ path }) => layerOf(path));
  assert.deepEqual(
    [...new Set(touching)].filter((layer) => !['main.ts', 'service', 'commands'].includes(layer)),
    [],
  );
});

test('each layer opens with what belongs there and what does not', () => {
  const openings = [
    'domain/error-codes.ts',
    'concurrency/batch-queue.ts',
    'embedded-postgres/open-embedded.ts',
    'store/database.ts',
    'wire/contribution-to-wire.ts',
    'operations/create-operations.ts',
    'webhooks/start-webhooks.ts',
    'schedule/job.ts',
    'sample-data/make-sample-data.ts',
    'partner-api/app.ts',
    'operator-api/app.ts',
    'observability/log.ts',
    'web-console/web-console.ts',
    'service/start-service.ts',
    'commands/program.ts',
  ];
  assert.deepEqual(
    openings.map((path) => layerOf(path)),
    Object.keys(LAYERS).filter((layer) => !layer.endsWith('.ts')),
  );
  for (const path of openings) assert.match(sources.find((file) => file.path === path)?.text ?? '', /^\/\*\*/, path);
});
