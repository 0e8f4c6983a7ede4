import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { compilePart, refuseProblems } from './validation.ts';

type Check = (request: FastifyRequest) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Throws with every problem of a request at once. */
    check?: Check;
  }
}

/**
 * Validates the whole request by its route's schema, after the body is read: headers, query and body together, so that a partner gets all
 * problems in one answer. Fastify's own validation, which stops at the first part, is off.
 */
export function validateByContract(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, check: compileCheck(route.schema ?? {}) };
  });
  app.addHook('preHandler', (request, _reply, done) => {
    request.routeOptions.config.check?.(request);
    done();
  });
}

function compileCheck({ headers, querystring, body }: FastifySchema): Check {
  const checkHeaders = headers ? compilePart('headers', headers as object) : () => [];
  const checkQuery = querystring ? compilePart('query', querystring as object) : () => [];
  const checkBody = body ? compilePart('body', body as object) : () => [];
  return (request) =>
    refuseProblems([...checkHeaders(request.headers), ...checkQuery(request.query), ...checkBody(request.body)]);
}
