import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { REPOSITORY } from './run-test-files.ts';

/**
 * A name that fits no file is a mistake and no reason to pass.
 *
 * @param patterns Files, folders or globs, as of the folder that the command was given in. Of a folder all files of tests below it are meant.
 * @returns Paths from the repository, each once.
 * @throws Error When one of the patterns fits no file.
 */
export function findTestFiles(patterns: readonly string[]): Set<string> {
  const found = patterns.map((pattern) => ({ pattern, files: filesOf(relative(REPOSITORY, resolve(pattern))) }));
  const empty = found.filter(({ files }) => files.length === 0);
  if (empty.length > 0) throw new Error(`No test file fits ${empty.map(({ pattern }) => pattern).join(', ')}.`);
  return new Set(found.flatMap(({ files }) => files));
}

function filesOf(pattern: string): string[] {
  const isFolder = (path: string) => statSync(join(REPOSITORY, path)).isDirectory();
  return globSync(pattern, { cwd: REPOSITORY }).flatMap((path) =>
    isFolder(path) ? globSync(join(path, '**/*.test.ts'), { cwd: REPOSITORY }) : [path],
  );
}
