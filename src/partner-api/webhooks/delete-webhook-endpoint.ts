import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { removeEndpoint } from '../../webhooks/endpoints/manage-endpoint.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { refuseMembers } from '../validation/refuse-members.ts';
import { EndpointBody, EndpointParams } from './endpoint-schemas.ts';
import { endpointToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, managerOf, WRITES } from './own-endpoint.ts';

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function deleteWebhookEndpoint(app: FastifyInstance, { databaseOf }: PartnerApiOptions): void {
  app.delete<{ Params: Static<typeof EndpointParams> }>(
    '/v1/webhook-endpoints/:endpoint_id',
    {
      config: { operation: 'deleteWebhookEndpoint', policy: WRITES },
      schema: {
        ...describeOperation('deleteWebhookEndpoint'),
        params: EndpointParams,
        querystring: NoQuery,
        response: { 200: EndpointBody },
      },
    },
    async (request) => {
      refuseMembers(request.body);
      const caller = callerOf(request);
      const { correlationId } = request.context;
      const { partnerId } = caller;
      const database = databaseOf(partnerId);
      const id = { partnerId, endpointId: request.params.endpoint_id };
      const remove = async () => {
        const present = await getOwnEndpoint(database.pool, partnerId, id.endpointId);
        return { ...present, ...(await removeEndpoint(database, managerOf(caller, correlationId), id)) };
      };
      const removed = await beforeDeadline(request, remove());
      return { webhook_endpoint: endpointToWire(removed), request: { correlation_id: correlationId } };
    },
  );
}
