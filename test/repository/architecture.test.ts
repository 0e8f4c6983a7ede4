/** Imports point one way, and every file stands on its floor and in its column. Read top to bottom, the tables are the architecture. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

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

/** The columns: what the service is about. A folder of this name has the files of one subject, in whatever layer it is. */
const SUBJECTS = [
  'contributions',
  'rules',
  'emissions',
  'events',
  'webhooks',
  'settlements',
  'reconciliations',
  'adjustments',
  'impact',
  'access',
  'audit',
  'quotas',
  'sandbox',
] as const;

interface Floor {
  /** Folders beside those of the subjects. */
  readonly folders: readonly string[];
  /** Files that belong to no subject. A layer without the list has no subjects, and its root takes any file. */
  readonly files?: readonly string[];
}

/** What stands in a layer beside the folders of the subjects. The layers that are not named have no folders at all. */
const FLOORS: Readonly<Record<string, Floor>> = {
  domain: {
    folders: ['numbers'],
    files: [
      'detail-codes',
      'error-codes',
      'fingerprint',
      'address-class',
      'identifiers',
      'iso-time',
      'limit',
      'page-cursor',
      'parse-json',
      'pluralise',
      'recovery-verdict',
      'service-error',
      'single-line-text',
      'customer-texts',
    ],
  },
  store: {
    folders: ['jobs', 'schema'],
    files: [
      'announcements',
      'binary-lists',
      'bulk-rows',
      'clock',
      'database',
      'database-errors',
      'answer-watch',
      'database-session',
      'durability',
      'durable-read',
      'database-problem',
      'lock-holders',
      'node-reader',
      'each-page',
      'ordered-list',
      'installation',
      'keyed-answer',
      'partner-ids',
      'query',
      'session-settings',
      'transaction',
    ],
  },
  operations: {
    folders: ['overview', 'verification'],
    files: [
      'answer-once',
      'create-operations',
      'for-each-partner',
      'group-commit',
      'idempotent-replay',
      'look-through',
      'require-reason',
      'with-role',
    ],
  },
  webhooks: { folders: ['delivery', 'endpoints', 'receiver', 'security'], files: ['start-webhooks'] },
  schedule: {
    folders: ['jobs'],
    files: ['clock-watch', 'job', 'jobs', 'reconciler', 'run-by-hand', 'run-job', 'sandbox-ends', 'scheduler'],
  },
  'partner-api': {
    folders: ['docs', 'http', 'limits', 'openapi', 'validation'],
    files: [
      'app',
      'envelope-schemas',
      'errors',
      'stored-answer-post',
      'paging',
      'request-context',
      'route-policy',
      'routes',
      'schema-parts',
      'schema-type',
      'write-headers',
    ],
  },
  'operator-api': {
    folders: ['http', 'openapi', 'overview'],
    files: [
      'app',
      'export-columns',
      'export-name',
      'export-route',
      'paging',
      'register-route',
      'route',
      'routes',
      'schema-parts',
      'sorting',
      'whole-list',
    ],
  },
  service: { folders: ['keys'] },
  commands: { folders: ['terminal'], files: ['doctor', 'job', 'migrate', 'program', 'serve'] },
  test: {
    folders: [
      'commands',
      'console',
      'operator-api',
      'partner-api',
      'reliability',
      'repository',
      'sdk',
      'service',
      'store',
      'support',
    ],
    files: [],
  },
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
    sandbox: ['audit', 'settlements', 'access', 'emissions', 'contributions', 'adjustments', 'impact'],
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
    endpoints: ['security', 'delivery'],
    receiver: ['security'],
  },
};
const ABOVE_ALL_COLUMNS = ['operations/create-operations.ts', 'webhooks/start-webhooks.ts'];

const FILES_MAX = 25;
/** Elsewhere, a decision, a migration or a sample is a file among others like it: a list that is read by its numbers. */
const FOLDERS_HELD_SMALL = ['src', 'console/src', 'test', 'reliability', 'bench', 'scripts'];

const ROOT = join(import.meta.dirname, '../..');

interface SourceFile {
  /** Relative to `src/`, with `/`. */
  readonly path: string;
  readonly text: string;
}

const layerOf = (path: string): string => path.split('/')[0] as string;
/** The folder of a layer that a file stands in; its name without a folder where it stands at the root. */
const columnOf = (path: string): string => path.split('/')[1] as string;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

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

/** Files and folders of a layer that have no place in its table. */
function listStrays(layer: string, paths: readonly string[]): string[] {
  const { folders, files } = FLOORS[layer] ?? { folders: [] };
  const known: readonly string[] = files ? [...SUBJECTS, ...folders] : folders;
  return paths.filter((path) => {
    const [first = '', second] = path.split('/');
    if (second !== undefined) return !known.includes(first);
    return files !== undefined && !files.includes(first.replace(/(?:\.test)?\.ts$/, ''));
  });
}

/** Folders with more files than somebody takes in at a glance. */
function listFullFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > FILES_MAX).map(([folder, count]) => `${folder} has ${count} files`);
}

/** The rows of the table of a document whose heading row begins with these cells: all cells, without their marks. */
function readTable(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

const files = globSync(`{${FOLDERS_HELD_SMALL.join(',')}}/**/*`, { cwd: ROOT, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
const inLayer = (folder: string) =>
  files.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
const sources = inLayer('src')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, 'src', path), 'utf8') }));
const document = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

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

describe('places', () => {
  test('no file that belongs to a subject stands at the root of a layer, and every folder of a layer has a subject or a purpose', () => {
    const layers = [...new Set(sources.map(({ path }) => layerOf(path)))].filter((layer) => !layer.endsWith('.ts'));
    for (const layer of layers) assert.deepEqual(listStrays(layer, inLayer(`src/${layer}`)), [], layer);
    assert.deepEqual(listStrays('test', inLayer('test')), []);
  });

  test('every file and folder that the tables name exists', () => {
    for (const [layer, { folders, files: names = [] }] of Object.entries(FLOORS)) {
      const paths = inLayer(layer === 'test' ? 'test' : `src/${layer}`);
      for (const name of names) assert.ok(paths.includes(`${name}.ts`), `${layer}/${name}.ts`);
      for (const folder of folders)
        assert.ok(
          paths.some((path) => path.startsWith(`${folder}/`)),
          `${layer}/${folder}`,
        );
    }
  });

  test(`no folder has more than ${FILES_MAX} files`, () => {
    assert.ok(files.length > 600);
    assert.deepEqual(listFullFolders(files), []);
  });

  test('no object literal is spread into another one: its members stand there themselves', () => {
    const spreads = files
      .filter((path) => /\.tsx?$/.test(path))
      .filter((path) => /(?:^|[^{])\.\.\.\{/.test(readFileSync(join(ROOT, path), 'utf8')));
    assert.deepEqual(spreads, []);
  });

  test('no array literal is spread into another one in src/: its elements stand there themselves', () => {
    const spreads = files
      .filter((path) => path.startsWith('src/') && /(?<!\.test)\.ts$/.test(path))
      .filter((path) => /\.\.\.\[(?!\.\.\.)[^[\]]*\](?=,|\s*\])/.test(readFileSync(join(ROOT, path), 'utf8')));
    assert.deepEqual(spreads, []);
  });

  test('ARCHITECTURE.md names the other folders of each layer', () => {
    const told = readTable(document, 'Layer | Other folders').slice(2);
    const expected = Object.entries(FLOORS).filter(([, { folders }]) => folders.length > 0);
    assert.deepEqual(
      told.map(([layer]) => layer),
      expected.map(([layer]) => layer),
    );
    for (const [index, [layer, { folders }]] of expected.entries())
      for (const folder of folders) assert.match(told[index]?.[1] ?? '', new RegExp(`\\b${folder}\\b`), layer);
  });

  test('the matrix of ARCHITECTURE.md is the tree', () => {
    const [layers = [], , ...rows] = readTable(document, 'Subject');
    assert.deepEqual(
      rows.map(([subject]) => subject),
      SUBJECTS,
    );
    const expected = rows.map(([subject = '']) => [
      subject,
      ...layers.slice(1).map((layer) => {
        const folder = layer === 'test' ? `test/${subject}/` : `src/${layer}/${subject}/`;
        return files.some((path) => path.startsWith(folder)) ? '●' : '';
      }),
    ]);
    assert.deepEqual(rows, expected);
    const withSubjects = Object.keys(FLOORS).filter((layer) =>
      files.some((path) =>
        SUBJECTS.some((subject) => path.startsWith(`${layer === 'test' ? 'test' : `src/${layer}`}/${subject}/`)),
      ),
    );
    assert.deepEqual(layers.slice(1).toSorted(), withSubjects.toSorted());
  });

  describe('the guard bites', () => {
    const planted: [string, string][] = [
      ['operations', 'manage-planted.ts'],
      ['domain', 'settlement.ts'],
      ['store', 'partner.test.ts'],
      ['operations', 'planted/manage-planted.ts'],
      ['webhooks', 'planted.ts'],
      ['concurrency', 'planted/planted.ts'],
      ['service', 'settlements/planted.ts'],
      ['test', 'confirm-contribution.test.ts'],
    ];
    for (const [layer, path] of planted) {
      test(`${path} in ${layer}`, () => assert.deepEqual(listStrays(layer, [path]), [path]));
    }

    test('a folder of 26 files', () => {
      const paths = Array.from({ length: FILES_MAX + 1 }, (_, index) => `src/planted/${index}.ts`);
      assert.deepEqual(listFullFolders(paths.slice(1)), []);
      assert.deepEqual(listFullFolders(paths), ['src/planted has 26 files']);
    });
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
