/** The documents name only what exists. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { renderSettings, SETTINGS_DOCUMENTS } from '../../scripts/render-settings.ts';
import { loadCommands } from '../../src/commands/program.ts';
import { SETTINGS } from '../../src/config.ts';
import { OPERATOR_DETAIL_CODES, PARTNER_DETAIL_CODES } from '../../src/domain/detail-codes.ts';
import { ERROR_CODES } from '../../src/domain/error-codes.ts';
import { openOwnMetrics } from '../../src/observability/first-process-metrics.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { measureOperators } from '../../src/observability/operator-metrics.ts';
import { collectFromProcesses } from '../../src/observability/process-metrics.ts';
import { measureStart } from '../../src/observability/start-metrics.ts';
import { PROBLEM_REASONS } from '../../src/store/database-problem.ts';

const ROOT = join(import.meta.dirname, '../..');
const PATHS_START = /^(?:\.ci|bin|docs|migrations|openapi|reliability|scripts|src|test)\//;
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).map((path) => ({ path, text: read(path) }));

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Every first group of the pattern's matches. */
function find(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

/** GitHub's anchors of the headings of a document; a second heading of the same words gets `-1`. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const heading of find(markdown.replace(/^ *```.*?^ *```$/gms, ''), /^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let unused = anchor;
    for (let number = 1; anchors.has(unused); number++) unused = `${anchor}-${number}`;
    anchors.add(unused);
  }
  return anchors;
}

/** Whether `docs/spec/decisions.md#6-rate-limits` leads to a file, and to a heading of it. */
function leadsToHeading(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  return existsSync(join(ROOT, path)) && (anchor === undefined || anchorsOf(read(path)).has(anchor));
}

test('docs/spec/interface.md is the interface, word for word', () => {
  const hash = createHash('sha256').update(read('docs/spec/interface.md')).digest('hex');
  assert.equal(hash, '3b2f8acad333d5533c6a8a34bc7e5ba56521dd28485e1e42dcbf5bb34e2b5e82');
});

test('the list of decisions has each page once, in the order of the numbers in each part', () => {
  const pages = globSync('[0-9]*.md', { cwd: join(ROOT, 'docs/decisions') });
  const parts = read('docs/decisions/README.md').split(/^## /m);
  const listed = parts.map((part) => find(part, /^- \[\d{4}\]\(([^)]+)\)/gm));
  for (const part of listed) assert.deepEqual(part, part.toSorted());
  assert.deepEqual(listed.flat().toSorted(), pages.toSorted());
});

test('ARCHITECTURE.md has the times of a stop as the code has them', () => {
  const source = read('src/partner-api/app.ts') + read('src/commands/serve.ts');
  const figure = (name: string) => Number(new RegExp(`^const ${name} = ([\\d_]+);$`, 'm').exec(source)?.[1]?.replaceAll('_', ''));
  const quietMs = figure('QUIET_LOOKS') * figure('LOOK_EVERY_MS');
  const quiet = quietMs === 1_000 ? 'a second' : `${quietMs / 1_000} s`;
  const [, section = ''] = /^## Start and stop\n([\s\S]*?)^## /m.exec(read('ARCHITECTURE.md')) ?? [];
  for (const said of [
    `until no request arrives for ${quiet} (${figure('DRAIN_MAX_MS') / 1_000} s at most)`,
    `This takes at most ${figure('STOP_TIMEOUT_MS') / 1_000} s.`,
  ])
    assert.ok(section.includes(said), said);
});

const sources = globSync('{bench,bin,reliability,scripts,src,test}/**/*.{ts,mjs}', { cwd: ROOT });

test('every path of a document in the source leads to a file and a heading', () => {
  const targets = sources.flatMap((path) =>
    find(read(path), /(?<![\w./])(docs\/[\w./-]+\.md(?:#[\w-]+)?)/g).map((target) => ({ path, target })),
  );
  assert.deepEqual(
    targets.filter(({ target }) => !leadsToHeading(target)),
    [],
  );
});

/** What a tag may name: a section of a document, a published standard, a manual page, or another symbol. */
const SEE = /^(?:docs\/[\w./-]+\.md#|RFC \d|ISO \d|https:\/\/|\w+\(\d\)|\{@link \w)/;

test('every `@see` names a section of a document, or a published standard', () => {
  const tags = sources.flatMap((path) => find(read(path), /^\s*\/?\*.*@see (.+)$/gm).map((tag) => ({ path, tag })));
  assert.ok(tags.length > 100, `only ${tags.length} tags were found`);
  assert.deepEqual(
    tags.filter(({ tag }) => !SEE.test(tag)),
    [],
  );
  assert.doesNotMatch('Interface, "Limits".', SEE);
});

test('the check of headings bites', () => {
  const page = join('docs', 'spec', 'decisions.md');
  assert.equal(leadsToHeading(`${page}#6-rate-limits`), true);
  assert.equal(leadsToHeading(`${page}#6-rates`), false);
  assert.equal(leadsToHeading(join('docs', 'spec', 'none.md')), false);
  assert.deepEqual([...anchorsOf('# `A b`\n```sh\n# no\n```\n## A b\n')], ['a-b', 'a-b-1']);
});

test('`npm start` gives Node the settings that the command has in its first line', () => {
  const [, settings] = /^#!\/usr\/bin\/env -S node (.+)\n/.exec(read('bin/partner-impact.mjs')) ?? [];
  assert.match(String(scripts['start']), new RegExp(`^exec node ${settings} bin/partner-impact\\.mjs`));
});

test('`npm run reliability` tells of every experiment, and knows no other name', () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, ['scripts/reliability.ts', ...words], { cwd: ROOT, encoding: 'utf8' });
  const folders = globSync('reliability/*/main.ts', { cwd: ROOT }).map((path) => basename(dirname(path)));
  const experiments = [...folders, 'statement', 'reconciliation', 'event-costs', 'limits', 'operators'];
  assert.deepEqual(find(run().stdout, /^ {2}(\S+) +[A-Z].+\.$/gm), experiments.sort());
  assert.equal(run('siege', '--help').status, 0);
  assert.equal(run('none').status, 2);
});

const program = await loadCommands();

/** Whether `doctor`, or `key issue`, may follow `partner-impact`; what follows a command without commands of its own is free. */
function isCommand(words: string): boolean {
  const [first, second] = words.split(' ');
  const command = program.find((each) => each.name() === first);
  if (!command || command.commands.length === 0) return command !== undefined;
  return command.commands.some((each) => each.name() === second);
}

for (const { path, text } of documents) {
  describe(path, () => {
    test('every `npm run` script exists', () => {
      assert.deepEqual(
        find(text, /npm run ([\w:-]+)/g).filter((name) => !(name in scripts)),
        [],
      );
    });

    test('every link, its heading and every path exist', () => {
      const links = find(text, /\]\((?!\w+:|#)([^)#\s]+)/g).map((link) => join(dirname(path), link));
      const headings = find(text, /\]\((?!\w+:)((?:[^)#\s]+\.md)?#[^)\s]+)/g);
      const targets = headings.map((link) => (link.startsWith('#') ? path + link : join(dirname(path), link)));
      assert.deepEqual(
        targets.filter((target) => !leadsToHeading(target)),
        [],
      );
      const paths = find(text, /`([\w./-]+\.\w+|[\w./-]+\/)`/g).filter((name) => PATHS_START.test(name));
      assert.deepEqual(
        [...links, ...paths].filter((name) => !existsSync(join(ROOT, name))),
        [],
      );
    });

    test('every `partner-impact` command exists', () => {
      const named = find(text, /(?:npx partner-impact|partner-impact\.mjs) ([a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)?)/g);
      assert.deepEqual(
        named.filter((words) => !isCommand(words)),
        [],
      );
    });
  });
}

for (const path of Object.keys(SETTINGS_DOCUMENTS))
  test(`${path}: the settings are those of src/config.ts; \`npm run settings\` writes them`, () => {
    assert.equal(renderSettings(path, read(path)), read(path));
  });

test('src/config.ts reads every setting of its table, and no other', () => {
  assert.deepEqual(find(read('src/config.ts'), /read\.\w+\('([A-Z_]+)'/g).sort(), Object.keys(SETTINGS).sort());
});

test('docs/scaling.md: the connections of a process are the sizes of its pools', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'));
  const sizes = files.flatMap((path) => find(read(path), /^(?:export )?const \w*POOL_SIZE = (\d+);/gm)).map(Number);
  const [, table = ''] = /^## Connections\n(.+?)^## /ms.exec(read('docs/scaling.md')) ?? [];
  const rows = find(table, /^\| [^|]+ \| (\d+) \|/gm).map(Number);
  const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  assert.deepEqual(sorted(rows), sorted(sizes));
  const sum = sizes.reduce((total, size) => total + size, 0);
  assert.deepEqual(find(table, /(\d+) connections/g).map(Number), [sum]);
});

test('no other document says how many connections a process holds', () => {
  const others = documents.filter(({ path }) => path !== 'docs/scaling.md');
  assert.deepEqual(
    others
      .filter(({ text }) =>
        /process\s+holds\s+(?:up\s+to\s+)?\d+\s+connections|\d+\s+(?:connections\s+)?per\s+process/.test(text),
      )
      .map(({ path }) => path),
    [],
  );
});

/** The metrics that a process has, by name, with their labels. */
function metricsOfService(): Map<string, readonly string[]> {
  const nothing = () => Promise.reject(new Error('Nothing is measured here.'));
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0 };
  const watches = { measureBacklog: nothing, listEndpointStates: nothing, listJobStates: nothing, findDifferences: nothing };
  const metrics = createMetrics(pool, watches);
  metrics.watchPace({ limitPerSecond: 0, slowedSeconds: 0 });
  metrics.watchInFlight(() => 0);
  metrics.watchLog(() => 0);
  metrics.watchDatabase(() => []);
  metrics.watchQuotas(() => []);
  measureOperators(metrics.registry);
  measureStart(metrics.registry);
  const ofFirst = openOwnMetrics({
    databaseReasons: () => [],
    countMissing: () => 0,
    countDied: () => 0,
    countDropped: () => 0,
  });
  collectFromProcesses(ofFirst, new Set());
  const listed = [metrics.registry, ofFirst].flatMap((registry) => registry.getMetricsAsArray());
  const all = listed as unknown as { name: string; labelNames?: readonly string[] }[];
  return new Map(all.map(({ name, labelNames = [] }) => [name, labelNames]));
}

/** Of a histogram, whose buckets an alert names. */
function metricOf(name: string): string {
  return name.replace(/_seconds_bucket$/, '_seconds');
}

test('docs/operating.md has a row for each metric of the service with its labels, and its alerts name no other', () => {
  const known = metricsOfService();
  const [, monitoring = ''] = /^## Monitoring\n(.+?)^## /ms.exec(read('docs/operating.md')) ?? [];
  const rows = [...monitoring.matchAll(/^\| `(partner_impact_\w+)` \| (.*?) \|/gm)].map(([, name = '', labels = '']) => [
    name,
    find(labels.replace(/: .*/, ''), /`(\w+)`/g).sort(),
  ]);
  const own = [...known].filter(([name]) => name.startsWith('partner_impact_'));
  assert.deepEqual(rows.sort(), own.map(([name, labels]) => [name, [...labels].sort()]).sort());
  // Also where the page tells of one beside the tables.
  const named = find(read('docs/operating.md'), /\b((?:partner_impact|process|nodejs)_[a-z_]*[a-z])\b/g);
  assert.deepEqual(
    [...new Set(named)].filter((name) => !known.has(metricOf(name))),
    [],
  );
  const alerts = find(read('docs/operating.md'), /^\| `([^`]*\b(?:partner_impact|process|nodejs)_[^`]*[<>=][^`]*)` \|/gm);
  assert.ok(alerts.length > 20, `only ${alerts.length} alerts were found`);
  for (const alert of alerts)
    for (const [, name = '', labels = ''] of alert.matchAll(/\b((?:partner_impact|process|nodejs)_\w+)(?:\{(.*?)\})?/g)) {
      assert.ok(known.has(metricOf(name)), `${name} in ${alert}`);
      // Prometheus gives what each program has the name of its target; `honor_labels` leaves alone what has a `job`.
      const given = name.startsWith('partner_impact_') ? [] : ['job'];
      for (const label of find(labels, /(\w+)=~?"/g).filter((each) => !given.includes(each)))
        assert.ok(known.get(metricOf(name))?.includes(label), `${label} of ${name}`);
    }
  // A time that is not there yet is older than every bound; an expression that compares it alone never fires.
  for (const alert of alerts.filter((each) => each.startsWith('time() - ')))
    assert.match(alert, /^time\(\) - max\((.+)\) > \d+ or absent\(\1\)$/);
});

test('docs/operating.md has a row for each problem of the database', () => {
  const [, section = ''] = /^### Problems of the database\n(.+?)^### /ms.exec(read('docs/operating.md')) ?? [];
  assert.deepEqual(
    find(section, /^\| `(\w+)` \|/gm)
      .filter((name) => name !== 'reason')
      .sort(),
    [...PROBLEM_REASONS].sort(),
  );
});

test('docs/errors.md has one section for each error code, with its status and retryable', () => {
  const sections = [
    ...read('docs/errors.md').matchAll(/^## (\w+)\n\nHTTP (\d+) · retryable: (yes|no) · points may be restored: (yes|no)$/gm),
  ];
  const told = sections.map(([, code, status, retryable, restored]) => ({ code, status: Number(status), retryable, restored }));
  const expected = Object.entries(ERROR_CODES).map(([code, { status, isRetryable, nextAction }]) => ({
    code,
    status,
    retryable: isRetryable ? 'yes' : 'no',
    restored: nextAction === 'restore_points' ? 'yes' : 'no',
  }));
  assert.deepEqual(told, expected);
  assert.equal(find(read('docs/errors.md'), /^## (\w+)/gm).length, expected.length);
});

test('docs/errors.md has a row for each code of details that a partner can meet, and for no other', () => {
  const [, section = ''] = /### Codes of details\n(.+?)\n## /s.exec(read('docs/errors.md')) ?? [];
  const rows = find(section, /^\| ((?:`\w+`(?:, )?)+) \| .+\|$/gm).flatMap((cell) => find(cell, /`(\w+)`/g));
  assert.deepEqual(rows.toSorted(), [...PARTNER_DETAIL_CODES].sort());
});

test('each code of details is one that the program emits', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !/detail-codes|\.test\.ts$/.test(path));
  const text = sources.map((path) => read(path)).join('\n');
  const codes: readonly string[] = [...PARTNER_DETAIL_CODES, ...OPERATOR_DETAIL_CODES];
  assert.deepEqual(
    codes.filter((code) => !text.includes(`'${code}'`)),
    [],
  );
});

test('the figures of docs/performance.md are those of bench/results/latest.json, which its picture draws', () => {
  const { cells } = JSON.parse(read('bench/results/latest.json')) as {
    cells: readonly { readonly connections: number; readonly figures: { readonly perSecond: number } }[];
  };
  const [, table = ''] = /```text\n(scenario +conns +per second.*?)```/s.exec(read('docs/performance.md')) ?? [];
  const told = [...table.matchAll(/ {2,}(\d+) {2,}([\d,]+) {2,}/g)].map(([, connections, perSecond = '']) => [
    Number(connections),
    Number(perSecond.replaceAll(',', '')),
  ]);
  assert.ok(cells.length > 10);
  assert.deepEqual(
    told,
    cells.map(({ connections, figures }) => [connections, Math.round(figures.perSecond)]),
  );
});
