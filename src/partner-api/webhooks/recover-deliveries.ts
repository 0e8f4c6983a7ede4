import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ServiceError } from '../../domain/service-error.ts';
import { refuseSpent } from '../../operations/quotas/quota-refusals.ts';
import { recoverExhausted, replayMissing } from '../../webhooks/endpoints/manage-delivery.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { Type } from '../schema-type.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { readTime } from '../validation/read-time.ts';
import { EndpointParams, RecoverBody } from './endpoint-schemas.ts';
import { getOwnEndpoint, managerOf } from './own-endpoint.ts';

/** A backlog of a long outage goes a thousand at a time. */
const DEADLINE_MS = 40_000;

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function recoverDeliveries(app: FastifyInstance, options: PartnerApiOptions): void {
  const { databaseOf, usage } = options;
  postWithStoredAnswer<Static<typeof RecoverBody>, Static<typeof EndpointParams>>(app, options, {
    operation: 'recoverDeliveries',
    path: '/v1/webhook-endpoints/:endpoint_id/recover',
    params: EndpointParams,
    body: RecoverBody,
    answer: {
      recovered: Type.Integer({
        description:
          'The number of deliveries that the service sends again. If the process that began the request died, a repetition under its key goes on, and counts only the deliveries that were left.',
      }),
      has_more: Type.Optional(
        Type.Boolean({
          description:
            'Whether missing events are left because the quota of bytes of the day is spent: ask again under another key on the next UTC day. Absent in the replay of an answer of an earlier release.',
        }),
      ),
    },
    isManaging: true,
    deadlineMs: DEADLINE_MS,
    async work({ caller, correlationId, work, params: { endpoint_id: endpointId }, body }) {
      const { partnerId } = caller;
      const database = databaseOf(partnerId);
      const since = readTime('since', body.since);
      if (!since) throw new ServiceError('invalid_request', 'since is missing.');
      await getOwnEndpoint(database.pool, partnerId, endpointId);
      // The process that left the work may have spent the quota by it.
      if (body.missing && !work.isTakenOver) refuseSpent(usage.isSpent(partnerId));
      const request = { partnerId, endpointId, since };
      const actor = managerOf(caller, correlationId);
      const exhausted = await recoverExhausted(database, actor, request);
      const missing = body.missing ? await replayMissing(database, actor, { ...request, usage }) : { count: 0, hasMore: false };
      return { recovered: exhausted + missing.count, has_more: missing.hasMore };
    },
  });
}
