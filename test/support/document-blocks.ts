import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A block of code in a document, between three backticks and three backticks. */
export interface Block {
  /** From the root of the repository. */
  readonly path: string;
  /** The line of its first backticks, counted from 1. */
  readonly line: number;
  /** The word behind the backticks; empty where there is none. */
  readonly tag: string;
  readonly text: string;
}

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** All blocks of all documents, in the order in which a reader meets them. */
export function listBlocks(): Block[] {
  return globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
    .sort()
    .flatMap((path) => blocksOf(path, readDocument(path)));
}

function blocksOf(path: string, text: string): Block[] {
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(({ 2: tag = '', 3: code = '', index }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    tag,
    text: code,
  }));
}

/** A command of a transcript, and what the document shows of its answer. */
export interface Shown {
  readonly command: string;
  readonly output: string;
}

/** A block `console` has the commands behind `$ `, each with its output below. */
export function readTranscript({ text }: Block): Shown[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(part) ?? [];
      return { command, output };
    });
}

/** Every call of `partner-impact` in a block of shell or a transcript: its words, without comments and redirections. */
export function listCalls({ tag, text }: Block): string[][] {
  const code = tag === 'console' ? text.replace(/^(?!\$ |.*\\$| {4}--).*$/gm, '') : text;
  return code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/(?:npx partner-impact|partner-impact\.mjs) ([^|&#>]*)/g)].map(([, words = '']) => words),
    )
    .map((words) => words.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []);
}
