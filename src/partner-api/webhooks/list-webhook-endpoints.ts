import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isOurId } from '../../domain/identifiers.ts';
import { listWebhookEndpoints as listAll } from '../../store/webhooks/webhook-endpoint.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { pageMembers, placeOf } from '../paging.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { ENDPOINT_PAGE, EndpointPageBody, ListEndpointsQuery } from './endpoint-schemas.ts';
import { endpointToWire } from './endpoint-to-wire.ts';
import { READS } from './own-endpoint.ts';

const isEndpointPlace = (text: string) => text === '' || isOurId('wep', text);

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function listWebhookEndpoints(app: FastifyInstance, { databaseOf }: PartnerApiOptions): void {
  app.get<{ Querystring: Static<typeof ListEndpointsQuery> }>(
    '/v1/webhook-endpoints',
    {
      config: { operation: 'listWebhookEndpoints', policy: READS },
      schema: {
        ...describeOperation('listWebhookEndpoints'),
        querystring: ListEndpointsQuery,
        response: { 200: EndpointPageBody },
      },
    },
    async (request) => {
      const { partnerId } = callerOf(request);
      const { after, limit = ENDPOINT_PAGE.default } = request.query;
      const list = { name: ['listWebhookEndpoints', partnerId], first: '', isPlace: isEndpointPlace };
      const place = placeOf(list, after);
      const all = await beforeDeadline(request, listAll(databaseOf(partnerId).pool, partnerId));
      const left = all.filter(({ endpointId }) => endpointId > place);
      const page = left.slice(0, Number(limit));
      return {
        webhook_endpoints: page.map(endpointToWire),
        ...pageMembers(list, page.at(-1)?.endpointId ?? place, left.length > page.length),
        request: { correlation_id: request.context.correlationId },
      };
    },
  );
}
