import type { FastifyInstance } from 'fastify';
import { REQUEST_EXAMPLES } from './openapi-examples.ts';
import type { OperationId } from './openapi-operations.ts';
import { completeSuccess, errorResponses } from './openapi-responses.ts';
import { type Json, namedSchemas, nameShapes } from './openapi-schemas.ts';
import { WEBHOOK_PARAMETERS, WEBHOOKS } from './openapi-webhooks.ts';
import { CSV_REQUEST_EXAMPLES, SETTLEMENT_REQUEST_EXAMPLES } from './settlement-examples.ts';

export const DOCUMENT_HEAD = {
  openapi: '3.1.0',
  info: {
    title: 'Partner Impact',
    version: '1.0.0',
    description:
      'Server-to-server interface for partners: loyalty-points contributions, delivery-emissions estimates, and the link between them.\n\nAn API key belongs to a server; it must never reach a browser or an app. Points are not related to emissions.',
    contact: { name: 'The operator who issued your API key', url: 'https://example.com/partner-impact' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The environment that serves this page.' }],
  tags: [
    { name: 'Contributions', description: 'Confirm, and find again.' },
    { name: 'Emissions', description: 'Estimate a delivery, and link the estimate.' },
    { name: 'Events', description: 'What happened, in order, as webhooks tell it.' },
    { name: 'Settlements', description: 'What was contributed in a period, line by line.' },
    { name: 'Environment', description: 'How far the planting has come that contributions are pooled for.' },
    { name: 'Webhooks', description: 'What the service sends to the endpoints of a partner, signed.' },
  ],
  components: {
    securitySchemes: {
      apiKey: { type: 'apiKey' as const, name: 'X-API-Key', in: 'header' as const, description: "The partner's credential." },
    },
  },
  security: [{ apiKey: [] }],
};

interface OperationObject extends Json {
  operationId: OperationId;
  parameters?: Json[];
  requestBody?: { content: Record<string, Json> };
  responses: Record<string, Json>;
}

const CORRELATION_PARAMETER = {
  name: 'X-Correlation-ID',
  in: 'header',
  required: false,
  description: 'Non-personal; the service makes one when it is omitted. Every response returns it.',
  schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
};

/** The OpenAPI 3.1 document, from the routes, with an example for every outcome and every error code. */
export function buildDocument(app: FastifyInstance): Json {
  const document = nameShapes(structuredClone({ ...app.swagger(), webhooks: WEBHOOKS })) as Json & {
    paths: Record<string, Record<string, OperationObject>>;
  };
  Object.assign(document['components'] as Json, { parameters: WEBHOOK_PARAMETERS, schemas: namedSchemas() });
  for (const path of Object.values(document.paths)) for (const operation of Object.values(path)) complete(operation);
  return document;
}

/** What the schema of a query or of headers has no place for. */
function completeParameter(parameter: Json): Json {
  const { deprecated } = parameter['schema'] as Json;
  const name = parameter['name'] === 'idempotency-key' ? 'Idempotency-Key' : parameter['name'];
  return { ...parameter, name, ...(deprecated === true && { deprecated }) };
}

function complete(operation: OperationObject): void {
  const { operationId } = operation;
  const parameters = (operation.parameters ?? []).map(completeParameter);
  operation.parameters = [...parameters, CORRELATION_PARAMETER];
  const media = operation.requestBody?.content['application/json'];
  if (media) media['examples'] = { ...REQUEST_EXAMPLES, ...SETTLEMENT_REQUEST_EXAMPLES }[operationId];
  const csv = operation.requestBody?.content['text/csv'];
  if (csv) csv['examples'] = CSV_REQUEST_EXAMPLES[operationId];
  for (const [status, response] of Object.entries(operation.responses)) completeSuccess(operationId, status, response);
  Object.assign(operation.responses, errorResponses(operationId));
}
