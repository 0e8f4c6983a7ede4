import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { eventPageToBytes } from '../../wire/event-to-text.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { EVENT_PAGE, EventPageBody, ListEventsQuery } from './event-path-schemas.ts';

/**
 * Events by their sequence, for a partner that was down. Besides the members of decisions, section 7, the answer has `request`, as in
 * every GET.
 */
export function listEvents(app: FastifyInstance, { operations, readiness }: PartnerApiOptions): void {
  app.get<{ Querystring: Static<typeof ListEventsQuery> }>(
    '/v1/events',
    {
      config: { operation: 'listEvents', policy: REPORT },
      schema: { ...describeOperation('listEvents'), querystring: ListEventsQuery, response: { 200: EventPageBody } },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { after_sequence: afterSequence = '0', limit = EVENT_PAGE.default } = request.query;
      const cursor = {
        partnerId: callerOf(request).partnerId,
        afterSequence: BigInt(afterSequence),
        limit: Number(limit),
      };
      const page = await beforeDeadline(request, operations.readEvents.page(cursor));
      const { partnerId } = cursor;
      const { correlationId } = request.context;
      // An empty page shows that nothing was missed, and not that it would be fetched.
      if (cursor.afterSequence > 0n && !page.hasMore && page.events.length > 0)
        readiness?.record('caught_up', { partnerId, correlationId });
      return sendWritten(reply, eventPageToBytes(page, correlationId));
    },
  );
}
