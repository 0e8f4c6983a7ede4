import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { recordToWire } from '../../wire/contribution-to-wire.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { CONTRIBUTION_LOOKUP } from '../route-policy.ts';
import { ContributionBody, EventQuery } from './contribution-schemas.ts';

/** @see docs/spec/interface.md#getcontributionbypartnereventid. */
export function getContributionByPartnerEventId(
  app: FastifyInstance,
  { operations, environment, readiness }: PartnerApiOptions,
): void {
  app.get<{ Querystring: Static<typeof EventQuery> }>(
    '/v1/impact-transactions',
    {
      config: { operation: 'getContributionByPartnerEventId', policy: CONTRIBUTION_LOOKUP },
      schema: {
        ...describeOperation('getContributionByPartnerEventId'),
        querystring: EventQuery,
        response: { 200: ContributionBody },
      },
    },
    async (request) => {
      const lookup = { partnerId: callerOf(request).partnerId, partnerEventId: request.query.partner_event_id };
      const record = await beforeDeadline(request, operations.getContribution.byPartnerEventId(lookup));
      readiness?.recordLookup(record, request.context.correlationId);
      return recordToWire(record, environment, request.context.correlationId);
    },
  );
}
