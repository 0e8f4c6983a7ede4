import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { INT64_MAX } from '../../domain/numbers/int64.ts';
import { CONTRIBUTION_LIST } from '../contributions/contribution-list-schemas.ts';
import { SANDBOX_REQUEST_EXAMPLES } from '../sandbox/sandbox-examples.ts';
import { CSV_REQUEST_EXAMPLES, SETTLEMENT_REQUEST_EXAMPLES } from '../settlements/settlement-examples.ts';
import { SELF_SERVICE_REQUEST_EXAMPLES } from '../webhooks/endpoint-examples.ts';
import { REQUEST_EXAMPLES } from './openapi-examples.ts';
import type { OperationId } from './openapi-operations.ts';
import { completeParameters } from './openapi-parameters.ts';
import { completeSuccess, errorResponses, NOT_MODIFIED } from './openapi-responses.ts';
import { boundIntegers, type Json, namedSchemas, nameShapes, openObjects } from './openapi-schemas.ts';
import { WEBHOOK_PARAMETERS, WEBHOOKS } from './openapi-webhooks.ts';
import { readServiceVersion } from './service-version.ts';

const DOCUMENT_HEAD = {
  openapi: '3.1.0',
  info: {
    title: 'Partner Impact',
    version: readServiceVersion(),
    description:
      'Server-to-server interface for partners: loyalty-points contributions, delivery-emissions estimates, and the link between them.\n\nAn API key belongs to a server; it must never reach a browser or an app. Points are not related to emissions.',
    contact: { name: 'The operator who issued your API key' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [
    {
      url: '{base_url}',
      description: 'The base address of your environment.',
      variables: {
        base_url: {
          default: 'http://127.0.0.1:8080',
          description:
            'The address that the operator gave to you with the API key; the default is a sandbox on your own machine.',
        },
      },
    },
  ],
  tags: [
    { name: 'Contributions', description: 'Confirm contributions, and find them again.' },
    { name: 'Emissions', description: 'Estimate the emissions of a delivery, and link the estimate.' },
    { name: 'Events', description: 'List what happened, in order, as webhooks report it.' },
    { name: 'Settlements', description: 'Read the contributions of a period, line by line, and reconcile them.' },
    { name: 'Environment', description: 'Follow the planting that contributions support.' },
    { name: 'Self-service', description: 'Read your own terms, and manage your endpoints and deliveries.' },
    {
      name: 'Sandbox',
      description: 'In the sandbox, do what operators and time do. Production answers these paths with 404.',
    },
    { name: 'Webhooks', description: 'Receive signed events at your endpoints.' },
  ],
  components: {
    securitySchemes: {
      apiKey: { type: 'apiKey' as const, name: 'X-API-Key', in: 'header' as const, description: "The partner's credential." },
    },
  },
  security: [{ apiKey: [] }],
};

/** Those that take a request without a body. */
const WITHOUT_BODY_TOO: ReadonlySet<OperationId> = new Set(['rotateWebhookSecret']);

interface OperationObject extends Json {
  operationId: OperationId;
  parameters?: Json[];
  requestBody?: { required?: boolean; content: Record<string, Json> };
  responses: Record<string, Json>;
}

/** Collects the routes of an application for {@link buildDocument}. */
export async function collectRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifySwagger, { openapi: DOCUMENT_HEAD, convertConstToEnum: false });
}

/** The OpenAPI 3.1 document, from the routes, with an example for every outcome and every error code. */
export function buildDocument(app: FastifyInstance): Json {
  const collected = structuredClone({ ...app.swagger(), webhooks: WEBHOOKS });
  Object.assign(collected.paths?.['/v1/impact-transactions']?.get ?? {}, { 'x-list': structuredClone(CONTRIBUTION_LIST) });
  const document = nameShapes(collected) as Json & { paths: Record<string, Record<string, OperationObject>> };
  Object.assign(document['components'] as Json, { parameters: WEBHOOK_PARAMETERS, schemas: namedSchemas() });
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  for (const operation of operations) complete(operation);
  // A client ignores members that it does not know: /v1 may gain members. Requests are closed.
  for (const { responses, 'x-list': list } of operations) openObjects([responses, list]);
  openObjects(document['webhooks']);
  openObjects((document['components'] as Json)['schemas']);
  boundIntegers(document);
  return document;
}

/** Writes the document as text, with all digits of the largest int64. */
export function writeDocument(document: Json): string {
  const exact = (name: string, value: unknown) =>
    name === 'maximum' && value === 2 ** 63 ? JSON.rawJSON(String(INT64_MAX)) : value;
  return `${JSON.stringify(document, exact, 2)}\n`;
}

function complete(operation: OperationObject): void {
  const { operationId } = operation;
  operation.parameters = completeParameters(operationId, operation.parameters ?? []);
  if (operation.requestBody && WITHOUT_BODY_TOO.has(operationId)) operation.requestBody.required = false;
  const media = operation.requestBody?.content['application/json'];
  if (media)
    media['examples'] = {
      ...REQUEST_EXAMPLES,
      ...SETTLEMENT_REQUEST_EXAMPLES,
      ...SANDBOX_REQUEST_EXAMPLES,
      ...SELF_SERVICE_REQUEST_EXAMPLES,
    }[operationId];
  const csv = operation.requestBody?.content['text/csv'];
  if (csv) csv['examples'] = CSV_REQUEST_EXAMPLES[operationId];
  for (const [status, response] of Object.entries(operation.responses)) completeSuccess(operationId, status, response);
  if (operationId === 'getSettlementStatement') operation.responses['304'] = NOT_MODIFIED;
  Object.assign(operation.responses, errorResponses(operationId));
}
