import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type NamedKey, newNamedKey, readNamedKeys, writeNamedKey } from '../../domain/audit/named-key.ts';
import { OWNER_ONLY, readPrivateFile } from './private-file.ts';

export interface KeyFile {
  readonly dataDirectory: string;
  /** Such as `secrets.key`. */
  readonly name: string;
  /** What to do besides creating a new key when others may have read the old one. */
  readonly ifExposed: string;
}

/**
 * The keys in a file of the data folder; a new key when the file does not exist yet. The file has the form of `SECRETS_KEY`. It appears
 * complete or not at all, and of several processes that start at once one creates it and all read the same. When this returns, the key
 * survives a power failure, so it may be used.
 *
 * @throws Error With a sentence for the operator when others may read the file, or its content is invalid.
 */
export function openKeyFile({ dataDirectory, name, ifExposed }: KeyFile): NamedKey[] {
  const path = join(dataDirectory, name);
  const existing = readIfThere(path, ifExposed);
  if (existing) return existing;
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  makeKeyFile(dataDirectory, path);
  return readIfThere(path, ifExposed) ?? fail(`${path} was removed while the service started: start again.`);
}

function readIfThere(path: string, ifExposed: string): NamedKey[] | undefined {
  const text = readPrivateFile(path, (mode) => explainMode(path, mode, ifExposed));
  return text === undefined ? undefined : readNamedKeys(text, path);
}

function explainMode(path: string, mode: number, ifExposed: string): string {
  const digits = (mode & 0o777).toString(8).padStart(3, '0');
  return `${path} is open to other users (mode ${digits}): run "chmod 600 ${path}". If others may have read it, change the key as docs/operating.md says${ifExposed}.`;
}

/** Written under another name and linked: a link, unlike a rename, never replaces another process's file. */
function makeKeyFile(dataDirectory: string, path: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  // A unique id for each file, so that a lost key is not mistaken for a modified record.
  const key = newNamedKey(`file-${randomBytes(4).toString('hex')}`);
  try {
    writeDurably(draft, `${writeNamedKey(key)}\n`);
    linkSync(draft, path);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure;
  } finally {
    rmSync(draft, { force: true });
  }
  syncDirectory(dataDirectory);
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function fail(sentence: string): never {
  throw new Error(sentence);
}
