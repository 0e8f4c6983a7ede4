import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { estimateNotFound } from '../../operations/emissions/get-delivery-emissions-estimate.ts';
import { estimateToWire } from '../../wire/estimate-to-wire.ts';
import { CalculationParams, Estimate } from '../emissions/emissions-schemas.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';

/** Lets an estimate expire now. */
export function expireSandboxEstimate(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer<unknown, Static<typeof CalculationParams>>(app, options, {
    operation: 'expireSandboxEstimate',
    path: '/v1/sandbox/emissions/estimates/:calculation_id/expire',
    isSandboxChange: true,
    params: CalculationParams,
    answer: { estimate: Estimate },
    async work(call) {
      const { calculation_id: calculationId } = call.params;
      if (!isLongIdentifier(calculationId)) throw estimateNotFound();
      const { estimate } = await options.sandbox.expire(callerIn(call), calculationId);
      return { estimate: estimateToWire(estimate, options.environment) };
    },
  });
}
