import { listEndpointsForOperators } from '../../operations/overview/list-endpoints.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import type { Database } from '../../store/database.ts';
import { UNDELIVERED } from '../../store/webhooks/undelivered-endpoint.ts';
import * as additions from '../../webhooks/endpoints/add-endpoint.ts';
import { recoverExhausted } from '../../webhooks/endpoints/manage-delivery.ts';
import * as operations from '../../webhooks/endpoints/manage-endpoint.ts';
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts';
import * as tests from '../../webhooks/endpoints/test-endpoint.ts';
import type { OperatorApiTools } from '../app.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, count, flag, nullableText, oneOf, partnerAnd, reason, shape, text, time } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { EndpointBody, endpointToWire, ListedEndpointBody, listedEndpointToWire } from './webhook-schemas.ts';

const PATH = '/operator/v1/partners/:partner_id/endpoints/:endpoint_id';
const params = partnerAnd('endpoint_id', 'The id of the endpoint.');

async function describe({ database }: OperatorApiTools, { partnerId, endpointId }: { partnerId: string; endpointId: string }) {
  return endpointToWire(await operations.getEndpoint(database.pool, partnerId, endpointId));
}

const order = sorting(['created_at', 'failing_since'], 'created_at');

export const listEndpoints = operatorRoute({
  operation: 'listEndpoints',
  method: 'GET',
  path: '/operator/v1/endpoints',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: `${LOOKS_AT} The order of \`failing_since\` has those that fail.`,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      partner_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this partner.' })),
      state: Type.Optional(
        oneOf(
          ['healthy', 'failing', 'disabled'],
          'Only those that are healthy, whose last attempts failed, or that are disabled.',
        ),
      ),
      undelivered: Type.Optional(
        oneOf(
          UNDELIVERED,
          'Only active ones for which deliveries wait, or those with exhausted deliveries that nobody has sent again.',
        ),
      ),
    },
    closed,
  ),
  answer: pageOf('EndpointPage', 'endpoints', ListedEndpointBody, 'The endpoints of the page, without removed ones.'),
  async handle({ tools: { database }, query }) {
    const { partner_id: partnerId, state, undelivered } = query;
    const { page, end } = sortedPage('listEndpoints', order, query, [partnerId, state, undelivered]);
    const found = await listEndpointsForOperators(database, { partnerId, state, undelivered }, page);
    return { endpoints: found.page.map(listedEndpointToWire), ...end(found.last, found.hasMore) };
  },
});

export const getEndpoint = operatorRoute({
  operation: 'getEndpoint',
  method: 'GET',
  path: PATH,
  tag: 'Webhooks',
  summary: 'Show a webhook endpoint',
  leastRole: 'viewer',
  params,
  answer: EndpointBody,
  handle: ({ tools, params: { partner_id: partnerId, endpoint_id: endpointId } }) => describe(tools, { partnerId, endpointId }),
});

export const addEndpoint = operatorRoute({
  operation: 'addEndpoint',
  method: 'POST',
  path: '/operator/v1/endpoints',
  tag: 'Webhooks',
  summary: 'Add a webhook endpoint that answers a signed challenge',
  description: 'The secret is shown once.',
  leastRole: additions.addEndpoint.leastRole,
  isFinal: true,
  ifSecretIsLost: 'If nobody has kept it, create a new secret on the page of the endpoint.',
  deadlineMs: 30_000,
  body: Type.Object(
    {
      partner_id: Type.String({ minLength: 1, maxLength: 64, description: 'The partner.' }),
      url: Type.String({ minLength: 1, maxLength: 2_048, description: 'An https address of a public host.' }),
      event_types: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 64, description: 'An event type.' }), {
          minItems: 0,
          maxItems: 20,
          description: 'The event types that it gets; all without it.',
        }),
      ),
    },
    closed,
  ),
  answer: shape('AddedEndpoint', {
    endpoint: EndpointBody,
    secret: text('The secret that verifies deliveries, shown this once.'),
  }),
  async handle({ tools, actor, work, body: { partner_id: partnerId, url, event_types: eventTypes = [] } }) {
    const add = (database: Database) =>
      additions.addEndpoint({ ...tools.endpointTools, database }, actor, { partnerId, url, eventTypes });
    return work.answer(tools.database, add, async ({ endpointId, secret }, db) => ({
      endpoint: endpointToWire(await operations.getEndpoint(db, partnerId, endpointId)),
      secret,
    }));
  },
});

export const testEndpoint = operatorRoute({
  operation: 'testEndpoint',
  method: 'POST',
  path: `${PATH}/test`,
  tag: 'Webhooks',
  summary: 'Send a signed test event',
  leastRole: tests.testEndpoint.leastRole,
  deadlineMs: 30_000,
  params,
  answer: shape('TestResult', {
    is_success: flag('Whether the receiver answered with 2xx in time.'),
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The HTTP status of the answer; `null` without an answer.',
    }),
    error_class: nullableText('What went wrong; `null` for a success.'),
    milliseconds: count('How long it took.'),
  }),
  async handle({ tools, actor, params: { partner_id: partnerId, endpoint_id: endpointId } }) {
    const { isSuccess, status, errorClass, milliseconds } = await tests.testEndpoint(tools.endpointTools, actor, {
      partnerId,
      endpointId,
    });
    return { is_success: isSuccess, status, error_class: errorClass, milliseconds: Math.round(milliseconds) };
  },
});

export const enableEndpoint = operatorRoute({
  operation: 'enableEndpoint',
  method: 'POST',
  path: `${PATH}/enable`,
  tag: 'Webhooks',
  summary: 'Enable an endpoint: events that were held are sent',
  leastRole: operations.enableEndpoint.leastRole,
  deadlineMs: 60_000,
  params,
  answer: EndpointBody,
  async handle({ tools, actor, params: { partner_id: partnerId, endpoint_id: endpointId } }) {
    await operations.enableEndpoint(tools.database, actor, { partnerId, endpointId });
    return describe(tools, { partnerId, endpointId });
  },
});

export const disableEndpoint = operatorRoute({
  operation: 'disableEndpoint',
  method: 'POST',
  path: `${PATH}/disable`,
  tag: 'Webhooks',
  summary: 'Disable an endpoint: its events are held',
  leastRole: operations.disableEndpoint.leastRole,
  params,
  body: Type.Object({ reason }, closed),
  answer: EndpointBody,
  async handle({ tools, actor, params: { partner_id: partnerId, endpoint_id: endpointId }, body }) {
    await operations.disableEndpoint(tools.database, actor, { partnerId, endpointId }, body.reason);
    return describe(tools, { partnerId, endpointId });
  },
});

export const removeEndpoint = operatorRoute({
  operation: 'removeEndpoint',
  method: 'DELETE',
  path: PATH,
  tag: 'Webhooks',
  summary: 'Remove an endpoint, permanently: what waits for it is never sent',
  leastRole: operations.removeEndpoint.leastRole,
  isFinal: true,
  params,
  answer: shape('RemovedEndpoint', {
    endpoint_id: text('The id of the endpoint.'),
    status: oneOf(['removed'], 'It is removed.'),
  }),
  async handle({ tools, actor, work, params: { partner_id: partnerId, endpoint_id: endpointId } }) {
    const remove = (database: Database) => operations.removeEndpoint(database, actor, { partnerId, endpointId });
    return work.answer(tools.database, remove, ({ status }) => ({ endpoint_id: endpointId, status }));
  },
});

export const rotateEndpointSecret = operatorRoute({
  operation: 'rotateEndpointSecret',
  method: 'POST',
  path: `${PATH}/rotate-secret`,
  tag: 'Webhooks',
  summary: 'Create a new secret, which replaces the old one after 24 hours',
  leastRole: rotateSecret.leastRole,
  isFinal: true,
  ifSecretIsLost: 'If nobody has kept it, create a new secret on the page of the endpoint.',
  params,
  answer: shape('RotatedSecret', {
    secret: text('The new secret, shown this once.'),
    only_from: time('When it becomes the only one.'),
  }),
  async handle({ tools, actor, work, params: { partner_id: partnerId, endpoint_id: endpointId } }) {
    const rotate = (database: Database) => rotateSecret({ ...tools.endpointTools, database }, actor, { partnerId, endpointId });
    return work.answer(tools.database, rotate, ({ secret, from }) => ({ secret, only_from: from }));
  },
});

export const recoverDeliveries = operatorRoute({
  operation: 'recoverDeliveries',
  method: 'POST',
  path: `${PATH}/recover`,
  tag: 'Webhooks',
  summary: 'Send exhausted deliveries again that ended since a time',
  description: 'A thousand in a transaction. If the answer does not come in time, the list of deliveries shows how far it came.',
  leastRole: recoverExhausted.leastRole,
  isFinal: true,
  deadlineMs: 60_000,
  params,
  body: Type.Object(
    { since: Type.String({ minLength: 20, maxLength: 40, description: 'The time, in ISO 8601 with its zone.' }) },
    closed,
  ),
  answer: shape('RecoveredDeliveries', {
    recovered: count(
      'How many are sent again. If the process that began the request died, a repetition under its key goes on, and counts only those that were left.',
    ),
  }),
  async handle({ tools, actor, params: { partner_id: partnerId, endpoint_id: endpointId }, body }) {
    const since = readTime('since', body.since) as Date;
    return { recovered: await recoverExhausted(tools.database, actor, { partnerId, endpointId, since }) };
  },
});
