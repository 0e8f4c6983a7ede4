import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Actor } from '../../domain/access/role.ts';
import { invalidRequest, problem, type ServiceError } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import type { EndpointId } from '../../store/webhooks/webhook-endpoint.ts';
import { disableEndpoint, enableEndpoint, updateEventTypes } from '../../webhooks/endpoints/manage-endpoint.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { EndpointBody, EndpointParams, UpdateEndpointBody } from './endpoint-schemas.ts';
import { endpointToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, managerOf, WRITES } from './own-endpoint.ts';

type Body = Static<typeof UpdateEndpointBody>;

/** Repeatable without harm, and so without a key. @see docs/spec/decisions.md#9-self-service-and-pages. */
export function updateWebhookEndpoint(app: FastifyInstance, { databaseOf }: PartnerApiOptions): void {
  app.patch<{ Params: Static<typeof EndpointParams>; Body: Body }>(
    '/v1/webhook-endpoints/:endpoint_id',
    {
      config: { operation: 'updateWebhookEndpoint', policy: WRITES },
      schema: {
        ...describeOperation('updateWebhookEndpoint'),
        params: EndpointParams,
        querystring: NoQuery,
        body: UpdateEndpointBody,
        response: { 200: EndpointBody },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { correlationId } = request.context;
      const { partnerId } = caller;
      const database = databaseOf(partnerId);
      const id = { partnerId, endpointId: request.params.endpoint_id };
      if (!request.body.event_types && !request.body.status) throw nothingToChange();
      const change = async () => {
        await getOwnEndpoint(database.pool, partnerId, id.endpointId);
        await apply(database, managerOf(caller, correlationId), id, request.body);
        return getOwnEndpoint(database.pool, partnerId, id.endpointId);
      };
      const changed = await beforeDeadline(request, change());
      return { webhook_endpoint: endpointToWire(changed), request: { correlation_id: correlationId } };
    },
  );
}

function nothingToChange(): ServiceError {
  const message = 'Send event_types, or status, or both.';
  return invalidRequest([problem('status', 'missing', message)]);
}

async function apply(database: Database, actor: Actor, id: EndpointId, { event_types, status }: Body): Promise<void> {
  if (event_types) await updateEventTypes(database, actor, id, event_types);
  if (status === 'active') await enableEndpoint(database, actor, id);
  if (status === 'disabled') await disableEndpoint(database, actor, id, 'Its partner disabled it.');
}
