/** The files of the repository that tests of its layout read, and the tables of its documents. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Elsewhere, a decision, a migration or a sample is a file among others like it: a list that is read by its numbers. */
const FOLDERS_HELD_SMALL = ['src', 'console/src', 'test', 'reliability', 'bench', 'scripts'];

export const ROOT = join(import.meta.dirname, '../..');

export interface SourceFile {
  /** Relative to `src/`, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The layer of a file of `src/`. */
export const layerOf = (path: string): string => path.split('/')[0] as string;
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** The rows of the table of a document whose heading row begins with these cells: all cells, without their marks. */
export function readTable(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

export const files = globSync(`{${FOLDERS_HELD_SMALL.join(',')}}/**/*`, { cwd: ROOT, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
export const inLayer = (folder: string) =>
  files.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
export const sources = inLayer('src')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, 'src', path), 'utf8') }));
export const document = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
