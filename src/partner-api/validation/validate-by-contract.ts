import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { compilePart } from './compile-part.ts';
import { type Problem, refuseProblems } from './problems.ts';

type Check = (request: FastifyRequest) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Throws with every problem of a request at once. */
    check?: Check;
    /** What is wrong with headers beyond what the schema says. */
    headerProblems?: (headers: IncomingHttpHeaders) => readonly Problem[];
  }
}

/**
 * Validates the whole request by its route's schema, after the body is read: headers, query and body together, so that a partner gets all
 * problems in one answer. Fastify's own validation, which stops at the first part, is off.
 */
export function validateByContract(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, check: compileCheck(route.schema ?? {}, route.config) };
  });
  app.addHook('preHandler', (request, _reply, done) => {
    request.routeOptions.config.check?.(request);
    done();
  });
}

function compileCheck(schema: FastifySchema, { headerProblems = () => [] }: FastifyContextConfig = {}): Check {
  const checkHeaders = schema.headers ? compilePart('headers', schema.headers as object) : () => [];
  const checkQuery = schema.querystring ? compilePart('query', schema.querystring as object) : () => [];
  const checkBody = schema.body ? compilePart('body', schema.body as object) : () => [];
  return ({ headers, query, body }) =>
    refuseProblems([...checkHeaders(headers), ...headerProblems(headers), ...checkQuery(query), ...checkBody(body)]);
}
