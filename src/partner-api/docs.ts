import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../domain/api-key.ts';
import { buildDocument } from './openapi.ts';

/** Everything that the page loads comes from here; nothing about its reader leaves. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/**
 * The reference at `/docs`. In the sandbox it can send requests; a production key has no place in a browser, so there it
 * cannot.
 */
export async function serveReference(app: FastifyInstance, environment: Environment): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => void reply.header('content-security-policy', CONTENT_SECURITY_POLICY));
    await scope.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        title: 'Partner Impact',
        content: () => buildDocument(app),
        withDefaultFonts: false,
        telemetry: false,
        proxyUrl: '',
        hideClientButton: true,
        hideTestRequestButton: environment === 'production',
      } as never,
    });
  });
}
