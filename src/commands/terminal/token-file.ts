import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ConfigError } from '../../config.ts';
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
  /** The token of a sign-in whose outcome this machine has not learnt. Errors as {@link TokenFile.read}. */
  readPending(): string | undefined;
  /**
   * Both tokens, whoever may read their files: only to end their sign-ins.
   *
   * @throws Error With what to do when a file is there and cannot be read.
   */
  readToEnd(): string[];
  /**
   * Before the COMMIT that makes the token valid, and uses up its code or ends the former token: with a lost answer it is here.
   *
   * @throws Error With what to do when a token could not be stored.
   */
  writePending(token: string): void;
  /** The token is valid: it replaces the former one, and is no longer pending. */
  keep(token: string): void;
  /** With a pending one. */
  remove(): void;
}

export async function openTokenFile({ pool }: Database): Promise<TokenFile> {
  const folder = join(configurationFolder(process.env), 'partner-impact');
  const path = join(folder, `${await findInstallationId(pool)}.token`);
  const pending = `${path}.pending`;
  return {
    path,
    read: () => readToken(path),
    readPending: () => readToken(pending),
    readToEnd: () => [path, pending].flatMap((each) => readWhoeverMay(each) ?? []),
    writePending(token) {
      try {
        write(folder, pending, token);
      } catch (cause) {
        throw cannotBeStored(cause as Error);
      }
    },
    keep(token) {
      // Another command may have kept it already, or another sign-in may be pending by now.
      if (readToken(pending) === token) renameSync(pending, path);
      else write(folder, path, token);
    },
    remove() {
      for (const each of [path, pending]) rmSync(each, { force: true });
    },
  };
}

/** Renamed, so that the file is complete and readable only by its owner at every moment. */
function write(folder: string, path: string, token: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${token}\n`, { mode: OWNER_ONLY, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function cannotBeStored(cause: Error): Error {
  const nextStep = 'Set XDG_CONFIG_HOME to a folder that this user may write; the code, or the former token, stays valid';
  return new Error(`The token of the sign-in cannot be stored: ${cause.message}. ${nextStep}.`, { cause });
}

/** The folder that the XDG Base Directory Specification names. A relative path in the variable is ignored. */
function configurationFolder({ XDG_CONFIG_HOME: folder }: NodeJS.ProcessEnv): string {
  return folder !== undefined && isAbsolute(folder) ? folder : join(homeOfUser(), '.config');
}

/** @throws ConfigError Without the variable HOME, for a user whom the system does not know, as in a container. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch {
    throw new ConfigError([
      `This user (uid ${process.getuid?.()}) has no home to look for a sign-in in. Set XDG_CONFIG_HOME to a folder, or HOME.`,
    ]);
  }
}

function readToken(path: string): string | undefined {
  const explain = () =>
    `${path} is open to other users. If others may have read it, sign out: npx partner-impact logout. Otherwise run "chmod 600 ${path}".`;
  return readPrivateFile(path, explain)?.trim();
}

function readWhoeverMay(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (failure) {
    const cause = failure as NodeJS.ErrnoException;
    if (cause.code === 'ENOENT') return undefined;
    const nextStep = 'To end its sign-in, an admin runs "npx partner-impact operator reset-sign-in --operator ID"';
    throw new Error(`The token in ${path} cannot be read: ${cause.message}. ${nextStep}.`, { cause });
  }
}
