/** Words that came back before, in documents and in texts that people read. docs/glossary.md has the terms to use. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

const RIDDLES: readonly RegExp[] = [
  /\btwins?\b/i,
  /\baside\b/i,
  /\bborn failed\b/i,
  /\bwhere the truth lies\b/i,
  /\bmakes? no sense\b/i,
  /\b(?:is|are|not) sound\b|\bsound (?:is|are)\b/i,
  /\bin peace\b/i,
  /\bgiv(?:es?|ing) way\b/i,
  /\btold apart\b|\btells? apart\b/i,
  /\bnobody in particular\b|\bmay be anybody\b/i,
  /\bstands? in the log\b/i,
  /\bso it is with\b/i,
  /\bthis is no\b/i,
  /\bas (?:they were|it was) (?:recorded|sealed)\b/i,
  /\bas the audit has (?:it|them)\b/i,
  /\bnobody decid/i,
  /\bvouch(?:es)? for\b/i,
  /\bpast the service\b/i,
  /\bthe way on\b/i,
  /\brivals?\b/i,
  /\bhastens?\b/i,
  /\b(?:held|holds?) against\b/i,
];

function findRiddles(text: string): string[] {
  return RIDDLES.map((riddle) => riddle.exec(text)?.[0]).filter((found) => found !== undefined);
}

/** Documents but the contract, the glossary (which lists such words), the history, and what is code. */
const documents = globSync(['*.md', 'docs/**/*.md', 'sdk/*.md'], { cwd: ROOT })
  .filter((path) => !path.startsWith('docs/spec/') && path !== 'docs/glossary.md')
  .map((path) => ({
    path,
    text: read(path)
      .replace(/^ *```.*?^ *```$|`[^`\n]*`/gms, '')
      .replace(/\]\([^)]*\)/g, ']'),
  }));

/** The comments and the texts between quotes of a source. */
function listTokens(source: string): string[] {
  const tokens = /\/\/[^\n]*|\/\*.*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gs;
  return [...source.matchAll(tokens)].map(([token]) => token);
}

/** Texts between quotes in which two words stand beside each other; comments are left out. */
function listTexts(source: string): string[] {
  return listTokens(source).filter((token) => !token.startsWith('/') && /[a-z] [a-z]/.test(token));
}

const SOURCES: Readonly<Record<string, number>> = {
  src: 600,
  'console/src': 100,
  'sdk/src': 20,
  scripts: 20,
  reliability: 60,
  bench: 30,
  test: 200,
};

/** Sources, with the least number of files of each folder. Tests have the words themselves in this file alone. */
const sources = globSync(
  Object.keys(SOURCES).map((folder) => `${folder}/**/*.{ts,tsx,mjs}`),
  { cwd: ROOT },
)
  .filter((path) => join(ROOT, path) !== import.meta.filename)
  .map((path) => ({ path, source: read(path) }));

/** What people read; in tests the titles are among them. Texts of `src/store/` are SQL. */
const texts = sources
  .filter(({ path }) => !path.startsWith('src/store/'))
  .map(({ path, source }) => ({ path, text: listTexts(source).join('\n') }));

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Comments of the source, in one line each. */
function listComments(source: string): string[] {
  return listTokens(source)
    .filter((token) => token.startsWith('/'))
    .map((comment) => comment.replace(/\s+\*?\s*/g, ' '));
}

const comments = sources.map(({ path, source }) => ({ path, text: listComments(source).join('\n') }));

test('no document, no text, no title of a test and no comment has a word that came back before', () => {
  assert.ok(documents.length > 80);
  for (const [folder, least] of Object.entries(SOURCES))
    assert.ok(sources.filter(({ path }) => path.startsWith(`${folder}/`)).length >= least, folder);
  const found = [...documents, ...texts, ...comments].map(({ path, text }) => ({ path, found: findRiddles(text) }));
  assert.deepEqual(
    found.filter((each) => each.found.length > 0),
    [],
  );
});

/** A description that leaves out what it is about: `Of the contribution.` */
const FRAGMENT = /^(?:Of|As|By|Its|Those|Where|Why|UTC|English|Arabic)\b/;

function listDescriptions(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'description' && typeof member === 'string' ? [member] : listDescriptions(member),
  );
}

for (const [file, least] of [
  ['openapi/partner.json', 1_000],
  ['openapi/operator.json', 1_000],
] as const)
  test(`every description of ${file} names what it is about`, () => {
    const descriptions = listDescriptions(JSON.parse(read(file)));
    assert.ok(descriptions.length > least, `${descriptions.length} descriptions`);
    const allowed = /^Why (?:the|an|there)\b/;
    assert.deepEqual([...new Set(descriptions.filter((text) => FRAGMENT.test(text) && !allowed.test(text)))], []);
  });

test('the check bites', () => {
  assert.match('Of the contribution.', FRAGMENT);
  assert.deepEqual(findRiddles('what is blocked by a twin waits for it aside'), ['twin', 'aside']);
  assert.deepEqual(listTexts("// this is no text\nthrow new Error('This is no sign-in code.');"), ["'This is no sign-in code.'"]);
  assert.deepEqual(listComments('/** A\n * B. */\nconst text = "no // comment"; // C'), ['/** A B. /', '// C']);
  assert.equal(findRiddles('A request blocked by a concurrent duplicate waits in a separate queue.').length, 0);
});
