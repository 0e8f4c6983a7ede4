/**
 * Runs one of the experiments in reliability/ with its options, as its own script does.
 *
 *     npm run reliability -- NAME [options]
 *
 * Without a name it lists them. `NAME --help` tells the options.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const names = globSync('reliability/*.ts', { cwd: ROOT })
  .map((path) => basename(path, '.ts'))
  .sort();
const [name = '', ...options] = process.argv.slice(2);

if (names.includes(name)) run(name, options);
else list();

function run(experiment: string, words: readonly string[]): void {
  const file = `reliability/${experiment}.ts`;
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
  const output = name === '' ? process.stdout : process.stderr;
  const complaint = name === '' ? '' : `There is no experiment "${name}".\n\n`;
  output.write(`${complaint}npm run reliability -- NAME [options]\n\n${lines.join('')}`);
  if (name !== '') process.exitCode = 2;
}

/** The first sentence of the comment at its head. */
function describe(experiment: string): string {
  const text = readFileSync(join(ROOT, `reliability/${experiment}.ts`), 'utf8');
  const [, comment = ''] = /\/\*\*\n(.*?)\n \*(?:\n|\/)/s.exec(text) ?? [];
  return (
    comment
      .replace(/^ \* ?/gm, '')
      .replaceAll('\n', ' ')
      .split(/(?<=\.) /, 1)[0] ?? ''
  );
}
