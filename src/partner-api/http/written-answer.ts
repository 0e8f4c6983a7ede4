import type { FastifyReply, FastifySerializerCompiler } from 'fastify';

/** For a route whose answer is JSON text already: its schema is for the document alone. */
export const writtenAlready: FastifySerializerCompiler<unknown> = () => (text: string) => text;

/** Sends JSON text as it is. */
export function sendWritten(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
