import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { readJson } from '../../domain/parse-json.ts';
import { ServiceError, unsupportedHeader } from '../../domain/service-error.ts';
import { chargeBody } from '../limits/charge-body.ts';

/** Of a request's body; a list has a limit of its own. */
export const BODY_MAX_BYTES = 65_536;

/** A byte order mark is kept and refused like any other character outside JSON. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The interface accepts only JSON in UTF-8, which is read without loss. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addHook('onRoute', (route) => {
    if (route.method !== 'GET' && route.method !== 'HEAD') route.preParsing = endEmptyBody;
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseOtherCodings(request.headers);
    chargeBody(request.context, body);
    // Many clients name a media type for the body that a DELETE does not have.
    return request.method === 'DELETE' && body.length === 0 ? undefined : parse(body);
  });
}

/**
 * The body to parse. Node destroys the stream of a request whose head announces none (`optimizeEmptyRequests`): its end never comes, so the
 * parser gets an empty stream. An unknown path has no such hook: it is refused before its body is parsed.
 */
const endEmptyBody: preParsingHookHandler = (_request, _reply, payload, done) =>
  done(null, payload instanceof Readable && payload.readableEnded ? Readable.from([]) : payload);

function refuseOtherCodings(headers: FastifyRequest['headers']): void {
  const { 'content-type': type = '' } = headers;
  if (!isUtf8(type)) throw unsupportedHeader('Content-Type', 415, 'The body must be JSON in UTF-8.');
  refuseCompressed(headers);
}

/** @throws ServiceError `invalid_request` (415) for a compressed body, and for a charset where a coding belongs. */
export function refuseCompressed({ 'content-encoding': coding = 'identity' }: FastifyRequest['headers']): void {
  if (coding.toLowerCase() === 'identity') return;
  throw unsupportedHeader('Content-Encoding', 415, 'The body must not be compressed or encoded: leave Content-Encoding out.');
}

/** Whether a `Content-Type` names no other charset. */
export function isUtf8(type: string): boolean {
  return /^utf-?8$/.test(charsetOf(type));
}

/** The charset that a `Content-Type` names, in lower case; `utf-8` unless it names one. */
export function charsetOf(type: string): string {
  return (/charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8').toLowerCase();
}

function parse(body: Buffer): unknown {
  try {
    return readJson(utf8.decode(body));
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : 'it is not UTF-8';
    const message = `The body is not valid JSON: ${reason}.`.replace(/\.\.$/, '.');
    throw new ServiceError('invalid_request', message, { details: [{ field: 'body', code: 'invalid_json', message }], cause });
  }
}
