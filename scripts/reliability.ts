/**
 * Runs one of the experiments in reliability/ with its options, or one of those measurements in bench/ that stand by themselves.
 *
 *     npm run reliability -- NAME [options]
 *
 * Without a name, or with `--help`, it lists them. `NAME --help` tells the options.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** By name: a folder's `main.ts` has the name of its folder, whatever else a script of npm starts has that of its file. */
const files = new Map(
  [...globSync('reliability/*/main.ts', { cwd: ROOT }), ...Object.values(scripts).flatMap(listExperiments)].map((file) => [
    basename(file) === 'main.ts' ? basename(dirname(file)) : basename(file, '.ts'),
    file,
  ]),
);
const names = [...files.keys()].sort();
const [name = '', ...options] = process.argv.slice(2);

const asksForList = ['', '--help', '-h'].includes(name);
const wanted = files.get(name);
if (wanted) run(wanted, options);
else list();

function listExperiments(command: string): string[] {
  return command.match(/(?:reliability|bench)\/\S+\/\S+\.ts$/) ?? [];
}

function run(file: string, words: readonly string[]): void {
  // Some experiments measure themselves under the service's settings of Node, which their script names.
  const script = Object.values(scripts).find((command) => command.endsWith(` ${file}`)) ?? `node ${file}`;
  const child = spawn(process.execPath, [...script.split(' ').slice(1), ...words], { cwd: ROOT, stdio: 'inherit' });
  // The terminal tells a whole group of Ctrl-C: the experiment ends, and this process after it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (code) => (process.exitCode = code ?? 1));
}

function list(): void {
  const width = Math.max(...names.map((each) => each.length));
  const lines = names.map((each) => `  ${each.padEnd(width)}  ${describe(each)}\n`);
  const output = asksForList ? process.stdout : process.stderr;
  const complaint = asksForList ? '' : `There is no experiment "${name}".\n\n`;
  output.write(`${complaint}npm run reliability -- NAME [options]\n\n${lines.join('')}`);
  if (!asksForList) process.exitCode = 2;
}

/** The first sentence of the comment at its head. */
function describe(experiment: string): string {
  const text = readFileSync(join(ROOT, files.get(experiment) ?? ''), 'utf8');
  const [, comment = ''] = /\/\*\*\n(.*?)\n \*(?:\n|\/)/s.exec(text) ?? [];
  return (
    comment
      .replace(/^ \* ?/gm, '')
      .replaceAll('\n', ' ')
      .split(/(?<=\.) /, 1)[0] ?? ''
  );
}
