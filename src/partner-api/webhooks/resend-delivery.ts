import type { FastifyInstance } from 'fastify';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import type { Database } from '../../store/database.ts';
import { listLastAttempts } from '../../store/webhooks/attempt-log.ts';
import { findDelivery } from '../../store/webhooks/delivery-log.ts';
import { deliveryNotFound } from '../../webhooks/endpoints/endpoint-context.ts';
import { resend } from '../../webhooks/endpoints/manage-delivery.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { Delivery, DeliveryParams } from './endpoint-schemas.ts';
import { deliveryToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, managerOf } from './own-endpoint.ts';

interface Params {
  readonly delivery_id: string;
  /** Where the path names it. */
  readonly endpoint_id?: string;
}

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function resendDelivery(app: FastifyInstance, options: PartnerApiOptions): void {
  postWithStoredAnswer<unknown, Params>(app, options, {
    operation: 'resendDelivery',
    path: '/v1/webhook-endpoints/deliveries/:delivery_id/resend',
    alias: '/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/resend',
    params: DeliveryParams,
    answer: { delivery: Delivery },
    isManaging: true,
    async work({ caller, correlationId, work, params: { delivery_id: deliveryId, endpoint_id: endpointId } }) {
      const { partnerId } = caller;
      const database = options.databaseOf(partnerId);
      if (!isLongIdentifier(deliveryId)) throw deliveryNotFound();
      const delivery = await findDelivery(database.pool, partnerId, deliveryId);
      if (!delivery || delivery.endpointId !== (endpointId ?? delivery.endpointId)) throw deliveryNotFound();
      await getOwnEndpoint(database.pool, partnerId, delivery.endpointId);
      const send = (own: Database) => resend(own, managerOf(caller, correlationId), { partnerId, deliveryId });
      return work.answer(database, send, async (sent, db) => ({
        delivery: deliveryToWire(sent, (await listLastAttempts(db, partnerId, [deliveryId])).get(deliveryId)),
      }));
    },
  });
}
