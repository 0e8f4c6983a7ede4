import { ERROR_CODE_NAMES } from '../../domain/error-codes.ts';
import { FILE_TYPE } from '../http/hash-upload.ts';
import { COOKIE_NAMES } from '../http/session-cookie.ts';
import { type OperatorRoute, TAGS } from '../route.ts';
import { ROUTES } from '../routes.ts';

type Json = Record<string, unknown>;

const HEAD = {
  openapi: '3.1.0',
  info: {
    title: 'Partner Impact, interface of operators',
    version: '1.0.0',
    description:
      'What operators see and do, for their console. The service answers it on `OPERATIONS_PORT`. A browser signs in and has a session cookie; every change sends `X-CSRF-Token`. An int64 is a string of its digits.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/' }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
};

const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: COOKIE_NAMES.production,
    description: `The session of a browser. In a sandbox the name is \`${COOKIE_NAMES.sandbox}\`.`,
  },
  csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: 'The `csrf_token` of the session.' },
};

const ERROR_BODY = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable', 'correlation_id'],
      properties: {
        code: { type: 'string', enum: ERROR_CODE_NAMES, description: 'What is wrong, for programs.' },
        message: { type: 'string', description: 'What is wrong and what to do, for people.' },
        retryable: { type: 'boolean', description: 'Whether the same request may succeed soon.' },
        correlation_id: { type: 'string', description: 'The correlation id of the request.' },
        details: {
          type: 'array',
          description: 'One item for each problem.',
          items: {
            type: 'object',
            required: ['field', 'code', 'message'],
            properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};

/** The text of `openapi/operator.json`, from the routes alone. */
export function renderOperatorDocument(): string {
  const schemas: Record<string, Json> = { Error: ERROR_BODY };
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of ROUTES) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, schemas) };
  }
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
  return `${JSON.stringify({ ...HEAD, paths, components: { securitySchemes: SECURITY_SCHEMES, schemas: sorted } }, null, 2)}\n`;
}

function describeRoute(route: OperatorRoute, schemas: Record<string, Json>): Json {
  const { operation, summary, description, tag, leastRole, answer, isFinal, takesList, needsRecentSignIn } = route;
  const notes = [
    ...(description === undefined ? [] : [description]),
    leastRole === 'nobody' ? 'It needs no session.' : `Least role: \`${leastRole}\`.`,
    ...(needsRecentSignIn ? ['It needs a sign-in of the last 10 minutes.'] : []),
  ];
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: notes.join('\n\n'),
    'x-least-role': leastRole,
    'x-needs-recent-sign-in': needsRecentSignIn ?? false,
    security: leastRole === 'nobody' ? [] : [{ session: [], ...(route.method !== 'GET' && { csrf: [] }) }],
    parameters: [
      ...listParameters(route.params, 'path'),
      ...listParameters(route.query, 'query'),
      ...(isFinal || takesList ? [KEY] : []),
    ],
    ...describeBody(route, schemas),
    responses: {
      200: {
        description: 'Done.',
        content:
          answer === 'csv'
            ? { 'text/csv': { schema: { type: 'string' } } }
            : { 'application/json': { schema: refer(answer, schemas) } },
      },
      default: { description: 'An error.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
    },
  };
}

const FILE = { type: 'string', format: 'binary', description: 'The bytes of the file.' };

function describeBody({ body, takesList, takesFile }: OperatorRoute, schemas: Record<string, Json>): Json {
  if (takesFile) return { requestBody: { required: true, content: { [FILE_TYPE]: { schema: FILE } } } };
  if (!body) return {};
  const content = takesList ? body : { content: { 'application/json': { schema: refer(body, schemas) } } };
  return { requestBody: { required: true, ...content } };
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'A new one for each thing that is done once. The same key and payload give the first answer again.',
  schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
};

function listParameters(schema: unknown, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description,
    schema: rest,
  }));
}

/** A shape with a title stands among the schemas of the document, under that name. */
function refer(schema: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => refer(each, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { title, ...rest } = schema as Json;
  const members = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, refer(value, schemas)]));
  if (typeof title !== 'string') return members;
  const known = schemas[title];
  if (known && JSON.stringify(known) !== JSON.stringify(members)) throw new Error(`Two shapes have the title ${title}.`);
  schemas[title] = members;
  return { $ref: `#/components/schemas/${title}` };
}
