import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Unpacks another revision, on the packages of this one. An archive and no worktree of git: nothing of it is left in the
 * repository, however the bench ends.
 *
 * @returns The folder.
 * @throws Error When there is no such revision.
 */
export function unpackRevision(repository: string, revision: string, folder: string): string {
  const checkout = join(folder, 'checkout');
  const archive = join(folder, 'checkout.tar');
  mkdirSync(checkout, { recursive: true });
  try {
    execFileSync('git', ['-C', repository, 'archive', '--output', archive, revision, '--'], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error(`There is no revision ${revision} in ${repository}.`, { cause });
  }
  execFileSync('tar', ['-xf', archive, '-C', checkout]);
  symlinkSync(join(repository, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}
