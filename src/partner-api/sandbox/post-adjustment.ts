import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { adjustmentToWire } from '../../wire/adjustment-to-wire.ts';
import { Adjustment } from '../events/event-schemas.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';
import { AdjustmentBody } from './sandbox-schemas.ts';

const REASON = { en: 'A rehearsal in the sandbox.', ar: 'تجربة في البيئة التجريبية.' };

/** Drafts, approves and posts an adjustment, without a second operator. */
export function postSandboxAdjustment(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer<Static<typeof AdjustmentBody>>(app, options, {
    operation: 'postSandboxAdjustment',
    path: '/v1/sandbox/adjustments',
    isSandboxChange: true,
    body: AdjustmentBody,
    answer: { adjustment: Adjustment },
    async work(call) {
      const { body } = call;
      const posted = await options.sandbox.adjust(callerIn(call), {
        transactionId: body.transaction_id,
        pointsDelta: body.points_delta,
        amountDelta: body.amount_delta ?? null,
        reasonCode: body.reason_code,
        reasonEn: body.reason_en ?? REASON.en,
        reasonAr: body.reason_ar ?? REASON.ar,
        reversalOf: body.reversal_of ?? null,
      });
      return { adjustment: { ...adjustmentToWire(posted), environment: options.environment } };
    },
  });
}
