/**
 * Takes the rules away one at a time, in a private copy, and shows the test that turns red for each.
 *
 *     node reliability/mutants.ts [--only PART-OF-A-RULE]
 *
 * Exit code 1 when a rule can be taken away without a test that notices.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RULES, type Rule } from './mutants/rules.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const rules = RULES.filter(({ rule }) => rule.includes(values.only));

const copy = mkdtempSync(join(tmpdir(), 'partner-impact-mutants-'));
try {
  copyRepository();
  let survivors = 0;
  for (const [index, rule] of rules.entries()) {
    const red = await findRedTest(rule);
    if (red === undefined) survivors++;
    console.log(
      `${String(index + 1).padStart(2)}. ${rule.rule} (${rule.source})\n    ${red === undefined ? 'SURVIVED: no test noticed' : `red: ${red}`}`,
    );
  }
  console.log(`\n${rules.length} rules taken away, ${rules.length - survivors} noticed, ${survivors} survived`);
  process.exitCode = survivors === 0 && rules.length > 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function copyRepository(): void {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: REPOSITORY, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) cpSync(join(REPOSITORY, file), join(copy, file));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
}

/** The title of the first test that fails without the rule. */
async function findRedTest({ rule, file, find, replace, tests }: Rule): Promise<string | undefined> {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2)
    throw new Error(`The text of "${rule}" stands in ${file} ${text.split(find).length - 1} times.`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    const files = tests.map((name) => (name.includes('/') ? name : `test/${name}.test.ts`));
    return firstFailure(await runTests(files));
  } finally {
    writeFileSync(path, text);
  }
}

function runTests(files: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['scripts/test.ts', '--engine', 'embedded', ...files], { cwd: copy });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    child.once('exit', () => resolve(output));
  });
}

/** A line of the list at the end; a suite that failed because of a test in it is none. */
function firstFailure(output: string): string | undefined {
  const [, list] = output.split('failing tests:');
  return /^✖ (.*) \([\d.]+ms\)$/m.exec(list ?? '')?.[1];
}
