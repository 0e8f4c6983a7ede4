import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { Limit } from '../../domain/limit-names.ts';
import { unavailable } from '../../domain/service-error.ts';

export interface StreamBounds {
  /** From one chunk to the next. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** The limits of a transfer that takes minutes, whatever its size. */
export const TRANSFER_BOUNDS: StreamBounds = { idleMs: 30_000, totalMs: 900_000 };

/**
 * Ends a stream whose other end has stopped, or that takes too long. A half-sent answer is cut off. It keeps no process from its end: a body
 * that is answered before it has arrived may never close.
 *
 * @param until When it closes nothing is bounded any more: the answer, for a body. One that is refused is not read to its end, and does
 *   not close.
 */
export function boundStream(stream: Readable, { idleMs, totalMs }: StreamBounds, until: EventEmitter = stream): Readable {
  const end = (limit: Limit, reason: string) => () => stream.destroy(unavailable(`The stream was ended: ${reason}.`, { limit }));
  const total = setTimeout(end('transfer_long', `it took longer than ${totalMs} ms`), totalMs).unref();
  const idle = setTimeout(end('transfer_idle', `no data for ${idleMs} ms`), idleMs).unref();
  stream.on('data', () => idle.refresh());
  // A listener for data would start the stream; it starts when it is read.
  stream.pause();
  until.once('close', () => {
    clearTimeout(total);
    clearTimeout(idle);
  });
  return stream;
}
