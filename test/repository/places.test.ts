/** Every file stands on its floor and in its column. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { document, files, folderOf, inLayer, layerOf, ROOT, readTable, sources } from '../support/source-files.ts';

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
      'canonical-payloads',
      'detail-codes',
      'error-codes',
      'fingerprint',
      'address-class',
      'identifiers',
      'iso-time',
      'limit-names',
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
      'cancel-work',
      'database-session',
      'durability',
      'durable-read',
      'database-problem',
      'lock-holders',
      'node-reader',
      'node-watch',
      'each-page',
      'one-schema',
      'ordered-list',
      'installation',
      'keyed-answer',
      'partner-ids',
      'query',
      'session-settings',
      'transaction',
      'worker-watch',
    ],
  },
  operations: {
    folders: ['overview', 'verification'],
    files: [
      'answer-once',
      'connections-per-partner',
      'create-operations',
      'filtered-page',
      'for-each-partner',
      'group-commit',
      'require-line',
      'same-fingerprint',
      'with-role',
    ],
  },
  webhooks: { folders: ['delivery', 'endpoints', 'receiver', 'relay', 'security'], files: ['start-webhooks'] },
  schedule: {
    folders: ['jobs'],
    files: [
      'clock-watch',
      'complete-reconciliations',
      'database-clock',
      'job',
      'jobs',
      'request-run',
      'run-by-hand',
      'run-job',
      'scheduler',
      'simulated-reviews',
    ],
  },
  'partner-api': {
    folders: ['docs', 'http', 'limits', 'openapi', 'validation'],
    files: [
      'answer',
      'app',
      'envelope-schemas',
      'errors',
      'stored-answer-post',
      'paging',
      'partner-api-options',
      'register-contract',
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
      'shared-state',
      'sorting',
      'whole-list',
    ],
  },
  service: { folders: ['keys', 'processes'] },
  commands: { folders: ['terminal'], files: ['doctor', 'examine-server', 'job', 'migrate', 'program', 'serve'] },
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
const FILES_MAX = 25;

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
