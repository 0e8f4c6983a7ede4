/** The changelogs have the form of docs/versions.md: dated releases, the latest first, and what was announced before it ended. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../support/document-blocks.ts';

const KINDS = ['Added', 'Added for partners', 'Added for operators', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
/** How long before its end something has to be announced. */
const NOTICE_MONTHS = 12;

interface Release {
  /** `undefined` for what is not released yet. */
  readonly version: string | undefined;
  readonly date: string | undefined;
  readonly sections: ReadonlyMap<string, string>;
}

function readReleases(text: string): Release[] {
  const parts = text.split(/^## /m).slice(1);
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const [, version, date] = /^(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? [];
    if (version === undefined) assert.equal(heading, 'Unreleased');
    const sections = lines
      .join('\n')
      .split(/^### /m)
      .slice(1)
      .map((section) => [section.split('\n')[0] ?? '', section.slice(section.indexOf('\n')).trim()] as const);
    return { version, date, sections: new Map(sections) };
  });
}

const numbersOf = (version = '') => version.split('.').map(Number) as [number, number, number];

function isLower(a: string, b: string): boolean {
  const [first, second] = [numbersOf(a), numbersOf(b)];
  const index = first.findIndex((number, at) => number !== second[at]);
  return index >= 0 && (first[index] as number) < (second[index] as number);
}

/** Everything that is wrong with a changelog, for a package of this version. */
function findMistakes(text: string, packageVersion: string): string[] {
  const releases = readReleases(text);
  const [latest] = releases.filter(({ version }) => version !== undefined);
  return [
    ...releases.slice(1).flatMap(({ version }) => (version === undefined ? ['Unreleased is not the first'] : [])),
    ...(latest && latest.version !== packageVersion ? [`the package has the version ${packageVersion}`] : []),
    ...releases.flatMap((release, index) => {
      const [where, before] = [release.version ?? 'Unreleased', releases[index + 1]];
      const mistakes = [
        ...findFormless(release),
        ...findDisorder(release, before),
        ...findBreaks(release, before),
        ...findUnannounced(release),
      ];
      return mistakes.map((mistake) => `${where}: ${mistake}`);
    }),
  ];
}

/** Sections of known kinds, with entries that are sentences. */
function findFormless({ sections }: Release): string[] {
  const mistakes = [...sections].flatMap(([kind, text]) => {
    const [before = '', ...entries] = text.split(/^- /m);
    const broken = entries.filter((entry) => !/[.)]$/.test(entry.trim())).map((entry) => `no sentence: ${entry.slice(0, 40)}`);
    if (!KINDS.includes(kind)) broken.push(`${kind} is no kind of change`);
    return before !== '' || entries.length === 0 ? [...broken, `${kind} has no entry`] : broken;
  });
  return sections.size === 0 ? ['no section'] : mistakes;
}

/** A release is above the one before it, and not earlier; its date is a day. */
function findDisorder({ version, date }: Release, before: Release | undefined): string[] {
  if (version === undefined || date === undefined) return [];
  const isDay = Number.isFinite(Date.parse(date)) && new Date(date).toISOString().startsWith(date);
  const isAbove = before?.version === undefined || isLower(before.version, version);
  const isLater = before?.date === undefined || before.date <= date;
  return [
    isDay ? '' : `${date} is no day`,
    isAbove ? '' : 'not above the one before',
    isLater ? '' : 'earlier than the one before',
  ].filter((mistake) => mistake !== '');
}

/** From 1.0.0 on, what breaks stands in a release of a new major version. */
function findBreaks({ version, sections }: Release, before: Release | undefined): string[] {
  const isBreaking = sections.has('Removed') || [...sections.values()].some((text) => text.includes('**Breaking**'));
  const [major] = numbersOf(version);
  const [majorBefore] = numbersOf(before?.version);
  const mayBreak = version === undefined || before === undefined || majorBefore === 0 || major > majorBefore;
  return isBreaking && !mayBreak ? [`breaks, and its major version is that of ${before?.version}`] : [];
}

/** `- … ends on YYYY-MM-DD; use …`: the day of the end, a year ahead at least, and what replaces it. */
function findUnannounced({ sections }: Release): string[] {
  const entries = sections.get('Deprecated')?.split(/^- /m).slice(1) ?? [];
  return entries.flatMap((entry) => {
    const [, announced, ends] = /announced on (\d{4}-\d\d-\d\d).*ends on (\d{4}-\d\d-\d\d).*\buse\b/is.exec(entry) ?? [];
    if (announced === undefined || ends === undefined) return [`says not when it ends, or what to use: ${entry.slice(0, 40)}`];
    const earliest = new Date(`${announced}T00:00:00Z`);
    earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS);
    return new Date(`${ends}T00:00:00Z`) < earliest ? [`${ends} is less than ${NOTICE_MONTHS} months after ${announced}`] : [];
  });
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

for (const [changelog, manifest] of [
  ['CHANGELOG.md', 'package.json'],
  ['sdk/CHANGELOG.md', 'sdk/package.json'],
] as const)
  test(`${changelog} is dated, in order, and of the version in ${manifest}`, () => {
    assert.deepEqual(findMistakes(read(changelog), JSON.parse(read(manifest)).version), []);
  });

describe('the check bites', () => {
  const right = '# C\n\n## 1.1.0 - 2027-01-01\n\n### Added\n\n- One.\n\n## 1.0.0 - 2026-11-22\n\n### Added\n\n- Two.\n';
  for (const [title, find, replace] of [
    ['a day that is none', '2027-01-01', '2027-02-30'],
    ['a later release before an earlier day', '2027-01-01', '2026-01-01'],
    ['versions out of order', '## 1.1.0', '## 0.9.0'],
    ['another version than the package', '## 1.1.0', '## 1.2.0'],
    ['a kind that nobody knows', '### Added', '### Improved'],
    ['an entry that is no sentence', '- One.', '- One'],
    ['a removal in a minor version', '### Added', '### Removed'],
    ['a break in a minor version', '- One.', '- **Breaking**: one.'],
    ['a deprecation without its end', '### Added\n\n- One.', '### Deprecated\n\n- One.'],
    [
      'a deprecation that ends within the year',
      '### Added\n\n- One.',
      '### Deprecated\n\n- One, announced on 2027-01-01, ends on 2027-12-31; use two.',
    ],
  ] as const)
    test(title, () => {
      assert.deepEqual(findMistakes(right, '1.1.0'), []);
      const wrong = right.replace(find, replace);
      assert.ok(findMistakes(wrong, '1.1.0').length > 0);
    });

  test('a deprecation a year ahead is right, and a removal in a new major version', () => {
    const ended = right.replace('## 1.1.0', '## 2.0.0').replace('### Added', '### Removed');
    assert.deepEqual(findMistakes(ended, '2.0.0'), []);
    const announced = '### Deprecated\n\n- One, announced on 2027-01-01, ends on 2028-01-01; use two.';
    assert.deepEqual(findMistakes(right.replace('### Added\n\n- One.', announced), '1.1.0'), []);
  });
});
