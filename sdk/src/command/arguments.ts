import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The words after the command are wrong, or a file or a variable that they name. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

/** @throws UsageError for an option that the command does not have, or a word too many. */
export function readOptions<const O extends Options>(words: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing.`);
  return value;
}

export function readNumber(name: string, text: string | undefined, bounds: { readonly otherwise: number; readonly max: number }) {
  if (text === undefined) return bounds.otherwise;
  if (/^[0-9]{1,15}$/.test(text) && Number(text) <= bounds.max) return Number(text);
  throw new UsageError(`--${name} must be a whole number from 0 to ${bounds.max}.`);
}

export function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (failure) {
    throw new UsageError(`${path} cannot be read (${(failure as NodeJS.ErrnoException).code}).`);
  }
}

/** Editors end a file with a line end, which is not part of the secret. */
export function readSecret(path: string): string {
  return trimSecret(readFile(path).toString('utf8'), path);
}

export function trimSecret(text: string, source: string): string {
  const secret = text.trim();
  if (/^\S+$/.test(secret)) return secret;
  throw new UsageError(`${source} must hold one secret, whsec_…, and nothing else.`);
}
