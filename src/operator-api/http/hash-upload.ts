import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/service-error.ts';
import type { StoppableUploads } from '../../partner-api/http/transfers/stoppable-uploads.ts';
import type { StreamBounds } from '../../partner-api/http/transfers/stream-bounds.ts';

export const FILE_TYPE = 'application/octet-stream';
/** A browser hashes a file as a whole, in memory. */
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** In all, however it arrives: 256 MiB take as long at 1 MiB a second. */
const BOUNDS: StreamBounds = { idleMs: 15_000, totalMs: 300_000 };
const UPLOADS_MAX = 4;

/** What a file was, when it had arrived: its bytes are not kept. */
export interface HashedUpload {
  readonly byteCount: bigint;
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** The body of a route that takes a file is read by {@link FileHasher}; elsewhere it is refused. */
export function acceptFiles(app: FastifyInstance): void {
  app.addContentTypeParser(FILE_TYPE, (request, payload, done) => {
    if (request.routeOptions.config.takesFile) return done(null, payload);
    done(new ServiceError('invalid_request', 'The body must be JSON.', { status: 415 }));
  });
}

/** Hashes the files that requests carry, of which four may arrive at once. */
export class FileHasher {
  #underWay = 0;

  /**
   * Reads the file that a request carries, in pieces.
   *
   * @throws ServiceError `invalid_request` without a file, and for one that is too large; `rate_limited` beyond four at once;
   * `internal_service_unavailable` when the service stops, and 408 when the file stays away.
   */
  async hash(request: FastifyRequest, arriving: StoppableUploads): Promise<HashedUpload> {
    const { headers } = request;
    if (headers['content-type'] !== FILE_TYPE) throw refuse('missing', `Send the bytes of the file as ${FILE_TYPE}.`, 415);
    if (Number(headers['content-length'] ?? 0) > FILE_BYTES_MAX) throw tooLarge();
    if (this.#underWay >= UPLOADS_MAX)
      throw new ServiceError(
        'rate_limited',
        'The service is receiving its maximum number of files. Send the file again in a minute.',
      );
    this.#underWay++;
    try {
      return await readAndHash(request, arriving);
    } finally {
      this.#underWay--;
    }
  }
}

async function readAndHash({ raw }: FastifyRequest, arriving: StoppableUploads): Promise<HashedUpload> {
  try {
    const hash = createHash('sha256');
    let byteCount = 0;
    for await (const chunk of arriving.chunksOf<Buffer>(raw.iterator({ destroyOnReturn: false }), 'the file', BOUNDS)) {
      byteCount += chunk.length;
      if (byteCount > FILE_BYTES_MAX) throw tooLarge();
      hash.update(chunk);
    }
    return { byteCount: BigInt(byteCount), sha256: hash.digest('hex') };
  } finally {
    // A sender reads the answer when its bytes are taken.
    raw.resume();
  }
}

function tooLarge(): ServiceError {
  return refuse(
    'too_many_bytes',
    'The file is larger than 256 MiB. Record it with `npx partner-impact impact-batch add-evidence`, which reads a file of any size.',
    413,
  );
}

function refuse(code: 'missing' | 'too_many_bytes', message: string, status: number): ServiceError {
  return new ServiceError('invalid_request', message, {
    status,
    headers: { connection: 'close' },
    details: [{ field: 'file', code, message }],
  });
}
