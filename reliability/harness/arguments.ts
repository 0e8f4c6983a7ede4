import { readFileSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>['values'];

/**
 * The options of an experiment. `--help` prints the comment at the head of its file, and an option that it does not know
 * ends it with the same comment: the experiment does not run then.
 *
 * @param file Path of the experiment (`import.meta.filename`).
 */
export function readArguments<Options extends ParseArgsOptionsConfig>(file: string, options: Options): Values<Options> {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
    if ((values as { help?: boolean }).help) {
      process.stdout.write(headComment(file));
      process.exit(0);
    }
    return values as Values<Options>;
  } catch (error) {
    return refuseArguments(`${(error as Error).message}\n\n${headComment(file)}`);
  }
}

/** Ends the program before it has begun anything: its exit code is 2. */
export function refuseArguments(sentence: string): never {
  process.stderr.write(`${sentence.trimEnd()}\n`);
  process.exit(2);
}

/** Anything but a whole number in range ends the program, with exit code 2. */
export function readWhole(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  refuseArguments(`--${name} must be a whole number from ${min} to ${max}; it is "${text}".`);
}

function headComment(file: string): string {
  const [, comment = ''] = /\/\*\*\n(.*?)\n \*\//s.exec(readFileSync(file, 'utf8')) ?? [];
  return `${comment.replace(/^ \* ?/gm, '')}\n`;
}
