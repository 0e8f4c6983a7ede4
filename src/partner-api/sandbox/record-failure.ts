import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { currentAssociation } from '../../wire/association-outcome.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { Contribution } from '../contributions/contribution-schemas.ts';
import { Association } from '../emissions/association-schemas.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';
import { FailureBody } from './sandbox-schemas.ts';

/** Records an event that was never stored as failed, without a second operator. */
export function recordSandboxFailure(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer<Static<typeof FailureBody>>(app, options, {
    operation: 'recordSandboxFailure',
    path: '/v1/sandbox/failures',
    isSandboxChange: true,
    body: FailureBody,
    answer: { contribution: Contribution, association: Association },
    async work(call) {
      const { partner_event_id: partnerEventId, partner_order_ref: partnerOrderRef, points } = call.body;
      const record = await options.sandbox.fail(callerIn(call), { partnerEventId, partnerOrderRef, points: BigInt(points) });
      return {
        contribution: contributionToWire(record.contribution, options.environment),
        association: associationToWire(currentAssociation(record), options.environment),
      };
    },
  });
}
