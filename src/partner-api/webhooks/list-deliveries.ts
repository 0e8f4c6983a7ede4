import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { listLastAttempts } from '../../store/webhooks/attempt-log.ts';
import { LATEST_DELIVERY, listDeliveryPage } from '../../webhooks/endpoints/list-delivery-page.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { pageMembers, placeOf } from '../paging.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { DELIVERY_PAGE, DeliveryPageBody, EndpointParams, ListDeliveriesQuery } from './endpoint-schemas.ts';
import { deliveryToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, READS } from './own-endpoint.ts';

const isPlace = (text: string) => text === LATEST_DELIVERY || /^dlv_[0-9A-Z]{26}\.[0-9A-Za-z_]{1,40}$/.test(text);

interface Shape {
  Params: Static<typeof EndpointParams>;
  Querystring: Static<typeof ListDeliveriesQuery>;
}

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function listDeliveries(app: FastifyInstance, { databaseOf }: PartnerApiOptions): void {
  app.get<Shape>(
    '/v1/webhook-endpoints/:endpoint_id/deliveries',
    {
      config: { operation: 'listDeliveries', policy: READS },
      schema: {
        ...describeOperation('listDeliveries'),
        params: EndpointParams,
        querystring: ListDeliveriesQuery,
        response: { 200: DeliveryPageBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { partnerId } = callerOf(request);
      const database = databaseOf(partnerId);
      const { endpoint_id: endpointId } = request.params;
      const { after, status, limit = DELIVERY_PAGE.default } = request.query;
      const list = { name: ['listDeliveries', partnerId, endpointId], first: LATEST_DELIVERY, isPlace };
      const place = placeOf(list, after);
      const read = async () => {
        await getOwnEndpoint(database.pool, partnerId, endpointId);
        const wanted = { partnerId, endpointId, status, beforeId: place, limit: Number(limit) };
        const page = await listDeliveryPage(database, wanted);
        const ids = page.deliveries.map(({ deliveryId }) => deliveryId);
        return { page, attempts: await listLastAttempts(database.pool, partnerId, ids) };
      };
      const { page, attempts } = await beforeDeadline(request, read());
      const body = {
        deliveries: page.deliveries.map((delivery) => deliveryToWire(delivery, attempts.get(delivery.deliveryId))),
        ...pageMembers(list, page.lastId, page.hasMore),
        request: { correlation_id: request.context.correlationId },
      };
      return sendWritten(reply, exactJson(body));
    },
  );
}
