import type { FastifyReply, FastifySerializerCompiler } from 'fastify';

/** For a route whose answer is JSON text already: its schema is only for the document. */
export const writtenAlready: FastifySerializerCompiler<unknown> = () => (text: string) => text;

/** Sends JSON text, or its bytes in UTF-8, unchanged. */
export function sendWritten(reply: FastifyReply, text: string | Buffer): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
