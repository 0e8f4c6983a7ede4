import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takesGzip } from '../../partner-api/http/negotiation.ts';

/** A shorter answer fits into one packet as it is. */
const LEAST_BYTES = 1_400;
const GZIP = { level: 3 };

/** The answer as the browser takes it, with its headers. A page of records takes a third of the time that a thread for it would. */
export function compress({ headers }: FastifyRequest, reply: FastifyReply, text: string): string | Buffer {
  reply.header('vary', 'accept-encoding');
  if (Buffer.byteLength(text) < LEAST_BYTES || !takesGzip(headers['accept-encoding'])) return text;
  reply.header('content-encoding', 'gzip');
  return gzipSync(text, GZIP);
}
