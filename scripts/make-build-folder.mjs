// Where a build is made. Runs on any Node from 20 on.
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder beside the one that it will replace. Other users may read it as far as the umask allows: in production one user builds and
 * another one serves. Where this user may not write, the person reads what to do and the process ends.
 */
export function makeBuildFolder(parent) {
  try {
    const folder = mkdtempSync(join(parent, '.dist-'));
    chmodSync(folder, 0o777 & ~process.umask());
    return folder;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    process.stderr.write(`${explainUnwritable(parent, error)}\n`);
    return process.exit(1);
  }
}

export function explainUnwritable(folder, { code }) {
  const who = `User ${process.getuid?.() ?? 'unknown'}`;
  return `${who} may not write in ${folder} (${code}): run \`npm run console:build\` as its owner, then start again; or change the owner.`;
}
