import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../domain/access/api-key.ts';
import { unavailable } from '../../domain/service-error.ts';
import { findMisplaced, noSuchPath, REFERENCE_HERE } from '../http/known-routes.ts';
import { hasTag, takesGzip } from '../http/negotiation.ts';
import { buildDocs } from './build-docs.ts';
import type { DocsFiles } from './docs-files.ts';
import { findMeantPage, notFoundPage } from './not-found.ts';
import { relativeAddress } from './pages.ts';

/** Everything that a page loads comes from here; nothing about its reader leaves. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
/** The program of the reference writes styles and markup into its page. */
const REFERENCE_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(/; require-.*$/, '');
const PREFIX = '/docs';
/** So many files are on their way at once; nobody needs a key for them, so that more would be anybody's to take. */
const IN_FLIGHT_MAX = 32;
const RETRY_AFTER_SECONDS = 2;
const PART_BYTES = 64 * 1024;

/** The documentation at `/docs`, without a key. Its files are built once, for the first who asks. */
export function serveDocs(app: FastifyInstance, environment: Environment): void {
  let built: Promise<DocsFiles> | undefined;
  let inFlight = 0;
  const answer = async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
    if (inFlight >= IN_FLIGHT_MAX) throw busy();
    inFlight++;
    reply.raw.once('close', () => inFlight--);
    built ??= buildDocs(environment).catch((error: unknown) => {
      built = undefined;
      throw error;
    });
    const name = request.params['*'];
    const file = (await built).get(name);
    if (!file) return answerUnknown(request, reply, await built);
    const isCompressed = takesGzip(request.headers['accept-encoding']);
    reply.headers({
      'content-security-policy': name === 'reference' ? REFERENCE_POLICY : POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
      vary: 'accept-encoding',
      etag: file.etag,
    });
    if (hasTag(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
    if (isCompressed) reply.header('content-encoding', 'gzip');
    const bytes = isCompressed ? file.compressed : file.plain;
    return reply
      .type(file.type)
      .header('content-length', bytes.byteLength)
      .send(Readable.from(inParts(bytes)));
  };
  app.get(PREFIX, { schema: { hide: true } }, async (_request, reply) => reply.redirect(`${PREFIX}/`, 308));
  // Where programs look for it.
  app.get('/llms.txt', { schema: { hide: true } }, async (_request, reply) => reply.redirect(`${PREFIX}/llms.txt`, 308));
  app.get(`${PREFIX}/*`, { schema: { hide: true } }, answer);
}

/** Node copies what it sends together with a head, and keeps it until the client has read it all. */
function* inParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += PART_BYTES) yield bytes.subarray(from, from + PART_BYTES);
}

/** A page with another address is shown, a browser gets a page, and a program an error. */
function answerUnknown(request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply, files: DocsFiles) {
  const name = request.params['*'];
  const meant = findMeantPage(name, files);
  if (meant !== undefined) return reply.redirect(relativeAddress(name, meant), 307);
  if (!/\btext\/html\b/.test(request.headers.accept ?? ''))
    throw noSuchPath(findMisplaced(request.url)?.nextStep ?? REFERENCE_HERE);
  reply.headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  return reply.code(404).type('text/html; charset=utf-8').send(notFoundPage(name));
}

function busy() {
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return unavailable('The service already sends its maximum number of files of the documentation. Try again.', {
    headers,
    limit: 'reference_in_flight',
  });
}
