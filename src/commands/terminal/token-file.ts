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
  /**
   * Before a sign-in uses up the only code for a token, or ends the former token.
   *
   * @throws Error With what to do when a token could not be stored.
   */
  requireRoom(): void;
  write(token: string): void;
  remove(): void;
}

const TOKEN_LENGTH_MAX = 200;

export async function openTokenFile({ pool }: Database): Promise<TokenFile> {
  const folder = join(configurationFolder(process.env), 'partner-impact');
  const path = join(folder, `${await findInstallationId(pool)}.token`);
  return {
    path,
    read: () => readToken(path),
    requireRoom: () => requireRoom(folder, path),
    // Renamed, so that the file is complete and readable only by its owner at every moment.
    write: (token) => renameSync(writeDraft(folder, path, token), path),
    remove: () => rmSync(path, { force: true }),
  };
}

function writeDraft(folder: string, path: string, token: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${token}\n`, { mode: OWNER_ONLY, flag: 'wx' });
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

function requireRoom(folder: string, path: string): void {
  try {
    rmSync(writeDraft(folder, path, 'as long as a token, for a disk that is full'.padEnd(TOKEN_LENGTH_MAX)));
  } catch (cause) {
    const { message } = cause as Error;
    const nextStep = 'Set XDG_CONFIG_HOME to a folder that this user may write; the code, or the former token, stays valid';
    throw new Error(`The token of the sign-in cannot be stored: ${message}. ${nextStep}.`, { cause });
  }
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
