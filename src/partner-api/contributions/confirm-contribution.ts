import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { confirmationFingerprint } from '../../domain/canonical-payloads.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { existingRecord } from '../../domain/recovery-verdict.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { ConfirmationRequest } from '../../operations/contributions/decide-confirmations.ts';
import { originalAssociation } from '../../wire/association-outcome.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { CONFIRMATION } from '../route-policy.ts';
import { playOrDo } from '../sandbox/play-scenario.ts';
import { scenarioProblems } from '../sandbox/scenario-of-request.ts';
import { markReplayed, RehearsedHeaders } from '../write-headers.ts';
import { ConfirmContributionBody, ConfirmedBody } from './contribution-schemas.ts';

type Body = Static<typeof ConfirmContributionBody>;
type Headers = Static<typeof RehearsedHeaders>;

const OPERATION = 'confirmContribution' as const;

/** @see docs/spec/interface.md#confirmcontribution. */
export function confirmContribution(app: FastifyInstance, options: PartnerApiOptions): void {
  const { environment, operations } = options;
  app.post<{ Body: Body; Headers: Headers }>(
    '/v1/impact-transactions',
    {
      config: {
        operation: 'confirmContribution',
        policy: CONFIRMATION,
        headerProblems: scenarioProblems(options, 'confirmContribution'),
      },
      schema: {
        ...describeOperation('confirmContribution'),
        headers: RehearsedHeaders,
        body: ConfirmContributionBody,
        response: { 201: ConfirmedBody, 202: ConfirmedBody },
      },
    },
    async (request, reply) => {
      const { partnerId, isSuspended, unverified, currency, timeZone } = callerOf(request);
      const idempotencyKey = request.headers['idempotency-key'];
      const { body } = request;
      const confirmation: ConfirmationRequest = {
        partnerId,
        currency,
        timeZone,
        isSuspended,
        isUnverified: unverified === 'partner',
        idempotencyKey,
        fingerprint: confirmationFingerprint(body),
        partnerEventId: body.partner_event_id,
        partnerOrderRef: body.partner_order_ref,
        points: body.points,
        opaqueCustomerRef: body.opaque_customer_ref ?? null,
        calculationId: readCalculationId(body.calculation_id),
        correlationId: request.context.correlationId,
        arrivedAtMs: request.context.arrivedAtMs,
      };
      const rehearsable = { request, reply, operation: OPERATION, payload: confirmation };
      const ways = { plain: operations.confirmContribution, rehearsed: operations.applyScenario.confirm };
      const outcome = await playOrDo(options, rehearsable, ways);
      if (!outcome) return reply;
      const { record, isReplay } = outcome;
      const { transactionId, status } = record.contribution;
      if (isReplay) {
        markReplayed(reply);
        // A failure that operators recorded is the answer to the first confirmation of its event, under whatever key.
        if (record.idempotencyKey === idempotencyKey) options.readiness?.recordReplay(record, confirmation.correlationId);
      }
      if (status === 'failed') throw finalFailure(transactionId);
      reply.header('location', `/v1/impact-transactions/${transactionId}`);
      return reply.code(status === 'pending' ? 202 : 201).send({
        contribution: contributionToWire(record.contribution, environment),
        association: associationToWire(originalAssociation(record), environment),
        request: { correlation_id: request.context.correlationId, idempotency_key: idempotencyKey },
      });
    },
  );
}

/** `undefined` when the request names no estimate, `null` when its id is malformed. */
function readCalculationId(sent: unknown): string | null | undefined {
  if (sent === undefined || sent === null) return undefined;
  return isLongIdentifier(sent) ? sent : null;
}

function finalFailure(transactionId: string): ServiceError {
  const message = 'The contribution has failed permanently. Restore the points, once for this partner_event_id.';
  return new ServiceError('contribution_final_failure', message, { details: [existingRecord(transactionId)] });
}
