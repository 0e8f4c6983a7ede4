import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { EndpointBody, EndpointParams } from './endpoint-schemas.ts';
import { endpointToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, READS } from './own-endpoint.ts';

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function getWebhookEndpoint(app: FastifyInstance, { databaseOf }: PartnerApiOptions): void {
  app.get<{ Params: Static<typeof EndpointParams> }>(
    '/v1/webhook-endpoints/:endpoint_id',
    {
      config: { operation: 'getWebhookEndpoint', policy: READS },
      schema: {
        ...describeOperation('getWebhookEndpoint'),
        params: EndpointParams,
        querystring: NoQuery,
        response: { 200: EndpointBody },
      },
    },
    async (request) => {
      const { partnerId } = callerOf(request);
      const endpoint = await beforeDeadline(
        request,
        getOwnEndpoint(databaseOf(partnerId).pool, partnerId, request.params.endpoint_id),
      );
      return { webhook_endpoint: endpointToWire(endpoint), request: { correlation_id: request.context.correlationId } };
    },
  );
}
