import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { recordToWire } from '../../wire/contribution-to-wire.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { CONTRIBUTION_LOOKUP } from '../route-policy.ts';
import { ContributionBody, TransactionParams } from './contribution-schemas.ts';

/** @see docs/spec/interface.md#getcontributionbyid. */
export function getContributionById(app: FastifyInstance, { operations, environment, readiness }: PartnerApiOptions): void {
  app.get<{ Params: Static<typeof TransactionParams> }>(
    '/v1/impact-transactions/:transaction_id',
    {
      config: { operation: 'getContributionById', policy: CONTRIBUTION_LOOKUP },
      schema: {
        ...describeOperation('getContributionById'),
        params: TransactionParams,
        querystring: NoQuery,
        response: { 200: ContributionBody },
      },
    },
    async (request) => {
      const { transaction_id: transactionId } = request.params;
      if (!isLongIdentifier(transactionId)) throw contributionNotFound('transaction_id');
      const record = await beforeDeadline(
        request,
        operations.getContribution.byId({ partnerId: callerOf(request).partnerId, transactionId }),
      );
      readiness?.recordLookup(record, request.context.correlationId);
      return recordToWire(record, environment, request.context.correlationId);
    },
  );
}
