import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path/posix';
import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import { repositoryFile } from './markdown-pages.ts';

const BLOCK = 512;
/** The most bytes of a stored block of deflate. */
const STORED_MAX = 65_535;
/** Compressed: they are wrapped anew when they are served. */
export const RELEASES_FOLDER = 'sdk/releases/';

export interface SdkArchive {
  readonly version: string;
  readonly bytes: Uint8Array;
}

/**
 * The package for partners as `npm install` takes it, or nothing where it was not compiled. Its bytes follow from its files alone: a lock
 * file has their hash.
 */
export async function packSdk(): Promise<SdkArchive | undefined> {
  if (!existsSync(repositoryFile('sdk/dist/index.js'))) return undefined;
  const compiled = await readdir(repositoryFile('sdk/dist'), { recursive: true, withFileTypes: true });
  const root = repositoryFile('sdk/').pathname;
  const files = compiled.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length));
  const names = ['package.json', 'README.md', 'REFERENCE.md', 'CHANGELOG.md', 'LICENSE', ...files.sort()];
  const entries = await Promise.all(
    names.map(async (name) => tarEntry(`package/${name}`, await readFile(repositoryFile(`sdk/${name}`)))),
  );
  const { version } = JSON.parse(await readFile(repositoryFile('sdk/package.json'), 'utf8')) as { version: string };
  return { version, bytes: storedGzip(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)])) };
}

/** The folder of requests for Bruno, as an archive. */
export async function packBruno(): Promise<Uint8Array> {
  const entries = await readdir(repositoryFile('openapi/bruno'), { recursive: true, withFileTypes: true });
  const root = repositoryFile('openapi/').pathname;
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length));
  const files = await Promise.all(
    names.sort().map(async (name) => tarEntry(name, await readFile(repositoryFile(`openapi/${name}`)))),
  );
  return gzipSync(Buffer.concat([...files, Buffer.alloc(2 * BLOCK)]));
}

/** Every recorded version with the bytes that it was released with. */
export async function readSdkReleases(): Promise<SdkArchive[]> {
  const names = await readdir(repositoryFile(RELEASES_FOLDER));
  const archives = names.filter((name) => name.endsWith('.tgz')).sort();
  return Promise.all(
    archives.map(async (name) => ({
      version: /-(\d+\.\d+\.\d+)\.tgz$/.exec(name)?.[1] ?? '',
      bytes: storedGzip(gunzipSync(await readFile(repositoryFile(`${RELEASES_FOLDER}${name}`)))),
    })),
  );
}

/** In the form of gzip and not compressed: what a compressor writes depends on its version. HTTP compresses it on the way. */
function storedGzip(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])];
  for (let at = 0; at < bytes.byteLength; at += STORED_MAX) {
    const piece = bytes.subarray(at, at + STORED_MAX);
    const head = Buffer.alloc(5);
    head.writeUInt8(at + STORED_MAX >= bytes.byteLength ? 1 : 0);
    head.writeUInt16LE(piece.byteLength, 1);
    head.writeUInt16LE(~piece.byteLength & 0xffff, 3);
    parts.push(head, piece);
  }
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(bytes));
  tail.writeUInt32LE(bytes.byteLength, 4);
  return Buffer.concat([...parts, tail]);
}

/** A file in the form of `ustar`, without an owner and with one time, so that equal files give equal bytes. */
function tarEntry(name: string, bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const fields: readonly (readonly [offset: number, text: string])[] = [
    [0, name],
    [100, octal(0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(bytes.byteLength, 12)],
    [136, octal(499_162_500, 12)],
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
  ];
  for (const [offset, text] of fields) head.write(text, offset, 'latin1');
  head.write(
    `${octal(
      head.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
    'latin1',
  );
  return Buffer.concat([head, bytes, Buffer.alloc((BLOCK - (bytes.byteLength % BLOCK)) % BLOCK)]);
}
