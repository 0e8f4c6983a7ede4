/**
 * Takes the rules of the interface away one at a time, in a private copy, and shows the test that turns red for each.
 *
 *     node reliability/mutants/main.ts [--only PART-OF-A-RULE] [--from N]
 *
 * First the tests run with every rule in place: a test that is red by itself would notice anything. A rule counts as noticed
 * when a test fails by its title; a file that no longer runs at all shows only that the change was a bad one.
 *
 *   --only  just the rules whose sentence contains this
 *   --from  begins with the rule of this number, where an earlier run was ended
 *
 * The rules, each with its section and its change, stand in reliability/mutants/rules.ts. Exit code 1 when a rule can be taken
 * away without a test that notices.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { progress } from '../harness/report.ts';
import { RULES, type Rule } from './rules.ts';

type Finding = { readonly red: string } | { readonly problem: string };

const REPOSITORY = join(import.meta.dirname, '../..');
const given = readArguments(import.meta.filename, {
  only: { type: 'string', default: '' },
  from: { type: 'string', default: '1' },
});
const first = readWhole('from', given.from, { min: 1, max: RULES.length });
const wanted = RULES.map((rule, index) => ({ ...rule, number: index + 1 }));
const rules = wanted.filter(({ rule, number }) => number >= first && rule.includes(given.only));
/** A test that waits for what a rule would bring about is ended after so long; with every rule in place too, so that no time makes it red. */
const LIMIT = { HANG_LIMIT_MS: '100000' };
const copy = mkdtempSync(join(tmpdir(), 'partner-impact-mutants-'));

process.exitCode = await main().finally(() => rmSync(copy, { recursive: true, force: true }));

async function main(): Promise<number> {
  copyRepository();
  const files = [...new Set(rules.flatMap(({ tests }) => tests.map(testFile)))];
  progress(`With all rules in place: ${files.length} files of tests`);
  const control = await runTests(files, LIMIT);
  if (!control.isGreen) {
    process.stdout.write(`${control.output}\nFAILED: the tests are red with every rule in place, so they prove nothing\n`);
    return 1;
  }
  let missed = 0;
  for (const rule of rules) {
    progress(`${rule.number} of ${RULES.length}: ${rule.rule}`);
    const finding = await takeAway(rule);
    if ('problem' in finding) missed++;
    const verdict = 'red' in finding ? `red: ${finding.red}` : finding.problem;
    process.stdout.write(`${String(rule.number).padStart(3)}. ${rule.rule} (${rule.source})\n    ${verdict}\n`);
  }
  const isPassed = missed === 0 && rules.length > 0;
  process.stdout.write(
    `\n${isPassed ? 'PASSED' : 'FAILED'}: ${rules.length} rules taken away, ${rules.length - missed} noticed\n`,
  );
  return isPassed ? 0 : 1;
}

function copyRepository(): void {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: REPOSITORY, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) cpSync(join(REPOSITORY, file), join(copy, file));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
}

function testFile(name: string): string {
  return name.startsWith('src/') ? name : `test/${name}.test.ts`;
}

/** The title of the first test that fails without the rule. */
async function takeAway({ file, find, replace, tests }: Rule): Promise<Finding> {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const places = text.split(find).length - 1;
  if (places !== 1) return { problem: `STALE: its text stands in ${file} ${places} times` };
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    return toFinding(await runTests(tests.map(testFile), LIMIT));
  } finally {
    writeFileSync(path, text);
  }
}

interface TestRun {
  readonly isGreen: boolean;
  readonly output: string;
}

function runTests(files: readonly string[], env: NodeJS.ProcessEnv): Promise<TestRun> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['scripts/test.ts', '--engine', 'embedded', ...files], {
      cwd: copy,
      env: { ...process.env, ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    child.once('exit', (code) => resolve({ isGreen: code === 0, output }));
  });
}

function toFinding({ isGreen, output }: TestRun): Finding {
  if (isGreen) return { problem: 'SURVIVED: no test noticed' };
  const [, list = ''] = output.split('failing tests:');
  const titles = [...list.matchAll(/^✖ (.*) \([\d.]+ms\)$/gm)].map(([, title = '']) => title);
  // A file that ended before its tests stands in the list by its path.
  const red = titles.find((title) => !title.endsWith('.test.ts'));
  return red === undefined ? { problem: `BROKEN: the tests did not run: ${output.slice(-300)}` } : { red };
}
