import type { FastifyReply, FastifySerializerCompiler } from 'fastify';

/** For a route whose answer is JSON text already: its schema is only for the document. */
export const writtenAlready: FastifySerializerCompiler<unknown> = () => (text: string) => text;

/** Sends JSON text unchanged. */
export function sendWritten(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
