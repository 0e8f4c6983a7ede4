import type { Readable } from 'node:stream';
import type { Limit } from '../../../domain/limit-names.ts';
import { unavailable } from '../../../domain/service-error.ts';

export interface StreamBounds {
  /** From one chunk to the next. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** The limits of a transfer that takes minutes, whatever its size. */
export const TRANSFER_BOUNDS: StreamBounds = { idleMs: 30_000, totalMs: 900_000 };

/** Cuts off an answer whose other end has stopped, or that takes too long. {@link StoppableUploads.chunksOf} bounds a body, whose sender gets an answer. */
export function boundStream(stream: Readable, { idleMs, totalMs }: StreamBounds): Readable {
  const end = (limit: Limit, reason: string) => () => stream.destroy(unavailable(`The stream was ended: ${reason}.`, { limit }));
  const total = setTimeout(end('transfer_long', `it took longer than ${totalMs} ms`), totalMs).unref();
  const idle = setTimeout(end('transfer_idle', `no data for ${idleMs} ms`), idleMs).unref();
  stream.on('data', () => idle.refresh());
  // A listener for data would start the stream; it starts when it is read.
  stream.pause();
  stream.once('close', () => {
    clearTimeout(total);
    clearTimeout(idle);
  });
  return stream;
}
