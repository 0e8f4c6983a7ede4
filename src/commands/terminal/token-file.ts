import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { OWNER_ONLY, readPrivateFile } from '../../service/keys/private-file.ts';
import type { Database } from '../../store/database.ts';
import { findInstallationId } from '../../store/installation.ts';

/** The folder of the token of this installation: the system's folder for a user's configuration. */
export interface TokenFile {
  readonly path: string;
  /**
   * @throws Error With what to do when other users may read it.
   */
  read(): string | undefined;
  write(token: string): void;
  remove(): void;
}

export async function openTokenFile({ pool }: Database): Promise<TokenFile> {
  const folder = join(configurationFolder(process.env), 'partner-impact');
  const path = join(folder, `${await findInstallationId(pool)}.token`);
  return {
    path,
    read: () => readToken(path),
    write(token) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Written to a temporary file and renamed, so that the file is complete and readable only by its owner at every moment.
      const draft = `${path}.${randomBytes(6).toString('hex')}`;
      writeFileSync(draft, `${token}\n`, { mode: OWNER_ONLY, flag: 'wx' });
      renameSync(draft, path);
    },
    remove: () => rmSync(path, { force: true }),
  };
}

/** The folder that the XDG Base Directory Specification names. A relative path in the variable is ignored. */
function configurationFolder({ XDG_CONFIG_HOME: folder }: NodeJS.ProcessEnv): string {
  return folder !== undefined && isAbsolute(folder) ? folder : join(homedir(), '.config');
}

function readToken(path: string): string | undefined {
  const explain = () =>
    `${path} is open to other users. If others may have read it, sign out: npx partner-impact logout. Otherwise run "chmod 600 ${path}".`;
  return readPrivateFile(path, explain)?.trim();
}
