/** The built console in memory: a request finds a file by its whole path or not at all, so none leads out of the folder. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface BuiltFile {
  readonly contentType: string;
  readonly etag: string;
  readonly body: Buffer;
  /** Made at build time; absent where a compressed file would be no smaller. */
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

export interface BuiltConsole {
  /** With `CSP_NONCE` where the nonce of an answer goes. */
  readonly page: string;
  /** The files by their paths, such as `/assets/main-3f2a.js`. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** @returns `undefined` while the console is not built. */
export function readBuiltConsole(folder: string): BuiltConsole | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const files = new Map<string, BuiltFile>();
  for (const name of readdirSync(join(folder, 'assets'), { recursive: true, encoding: 'utf8' })) {
    const contentType = TYPES[extname(name)];
    if (contentType) files.set(`/assets/${name.split(sep).join('/')}`, readBuiltFile(join(folder, 'assets', name), contentType));
  }
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), files };
}

function readBuiltFile(path: string, contentType: string): BuiltFile {
  const body = readFileSync(path);
  const compressed = (ending: string) => (existsSync(path + ending) ? readFileSync(path + ending) : undefined);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { contentType, etag, body, br: compressed('.br'), gzip: compressed('.gz') };
}
