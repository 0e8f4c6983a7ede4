import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { UsageError } from './options.ts';

export interface HashedFile {
  /** Without its folder. */
  readonly fileName: string;
  readonly byteCount: bigint;
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Reads a file of any size once, in pieces.
 *
 * @param onProgress Called after about each gigabyte.
 * @throws UsageError For a file that cannot be read, or that changed while it was read.
 */
export async function hashFile(path: string, onProgress: (bytes: bigint) => void = () => {}): Promise<HashedFile> {
  // Opening a pipe would wait until a program writes into it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${cause.code}).`, { cause });
  });
  try {
    const before = await stamp(file);
    if (!before.isFile) throw new UsageError(`${path} is not a file.`);
    const { byteCount, sha256 } = await readThrough(file, onProgress);
    const after = await stamp(file);
    if (byteCount !== before.size || after.size !== before.size || after.changedAt !== before.changedAt)
      throw new UsageError(`${path} changed while it was read. Repeat the command when the file is complete.`);
    return { fileName: basename(path), byteCount, sha256 };
  } finally {
    await file.close();
  }
}

const PROGRESS_BYTES = 2n ** 30n;

async function readThrough(file: FileHandle, onProgress: (bytes: bigint) => void) {
  const hash = createHash('sha256');
  let byteCount = 0n;
  let reportedAt = PROGRESS_BYTES;
  for await (const chunk of file.createReadStream({ autoClose: false, start: 0 })) {
    hash.update(chunk);
    byteCount += BigInt(chunk.length);
    if (byteCount < reportedAt) continue;
    onProgress(byteCount);
    reportedAt += PROGRESS_BYTES;
  }
  return { byteCount, sha256: hash.digest('hex') };
}

async function stamp(file: FileHandle) {
  const stat = await file.stat({ bigint: true });
  return { isFile: stat.isFile(), size: stat.size, changedAt: stat.ctimeNs };
}
