import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

export const OWNER_ONLY = 0o600;
const OTHERS_MAY = 0o077;

/**
 * The text of a file that only its owner may read; `undefined` when it does not exist.
 *
 * @param explain The sentence for a file that others may read: what to do.
 * @throws Error With that sentence.
 */
export function readPrivateFile(path: string, explain: (mode: number) => string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failure;
  }
  try {
    const { mode } = fstatSync(file);
    if ((mode & OTHERS_MAY) !== 0) throw new Error(explain(mode));
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
