import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { eventNotFound } from '../../operations/events/list-events.ts';
import { foundEventToBytes } from '../../wire/event-to-text.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { EventBody, EventParams } from './event-path-schemas.ts';

/**
 * One event, as the member `event` beside `request`: like `contribution` and `estimate` in the other GETs, and because an envelope has
 * its own `correlation_id`, which is not that of this request.
 */
export function getEvent(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.get<{ Params: Static<typeof EventParams> }>(
    '/v1/events/:event_id',
    {
      config: { operation: 'getEvent', policy: REPORT },
      schema: { ...describeOperation('getEvent'), params: EventParams, querystring: NoQuery, response: { 200: EventBody } },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { event_id: eventId } = request.params;
      if (!isLongIdentifier(eventId)) throw eventNotFound();
      const id = { partnerId: callerOf(request).partnerId, eventId };
      const event = await beforeDeadline(request, operations.readEvents.byId(id));
      return sendWritten(reply, foundEventToBytes(event, request.context.correlationId));
    },
  );
}
