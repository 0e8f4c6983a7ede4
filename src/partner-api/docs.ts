import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Environment } from '../domain/api-key.ts';
import { noSuchPath } from './known-routes.ts';
import { buildDocument } from './openapi.ts';

/** Everything that the page loads comes from here; nothing about its reader leaves. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
const PREFIX = '/docs';

/**
 * The reference at `/docs`. In the sandbox it can send requests; a production key has no place in a browser, so there it
 * cannot.
 */
export function serveReference(app: FastifyInstance, environment: Environment): void {
  let pages: Promise<FastifyInstance> | undefined;
  const answer = async ({ method, url }: FastifyRequest, reply: FastifyReply) => {
    pages ??= loadPages(() => buildDocument(app), environment).catch((error: unknown) => {
      pages = undefined;
      throw error;
    });
    const page = await (await pages).inject({ method: method as 'GET', url });
    if (page.statusCode === 404) throw noSuchPath();
    const { 'content-type': type, location } = page.headers;
    return reply
      .code(page.statusCode)
      .headers({
        'content-security-policy': CONTENT_SECURITY_POLICY,
        ...(type && { 'content-type': type }),
        ...(location && { location }),
      })
      .send(page.rawPayload);
  };
  for (const url of [PREFIX, `${PREFIX}/*`]) app.get(url, { schema: { hide: true } }, answer);
}

/** Its program is megabytes, which no start has to read: it is loaded for the first who wants to see it. */
async function loadPages(content: () => object, environment: Environment): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const configuration = {
    title: 'Partner Impact',
    content,
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    hideClientButton: true,
    hideTestRequestButton: environment === 'production',
  };
  const pages = Fastify();
  await pages.register(scalar, { routePrefix: PREFIX, configuration: configuration as never });
  return pages;
}
