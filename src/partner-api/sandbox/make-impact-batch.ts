import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { invalidRequest, problem } from '../../domain/service-error.ts';
import { impactBatchToWire } from '../../wire/environmental-status-to-wire.ts';
import { ImpactBatch } from '../impact/environmental-schemas.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';
import { ImpactBatchBody } from './sandbox-schemas.ts';

type Body = Static<typeof ImpactBatchBody>;

/** Pools closed settlements in a batch, and advances it, without a second operator. */
export function makeSandboxImpactBatch(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer<Body>(app, options, {
    operation: 'makeSandboxImpactBatch',
    path: '/v1/sandbox/impact-batches',
    isSandboxChange: true,
    body: ImpactBatchBody,
    answer: { impact_batch: ImpactBatch },
    async work(call) {
      refuseBoth(call.body);
      const {
        impact_batch_id: impactBatchId,
        settlement_ids: settlementIds = [],
        quantity = 1n,
        status = 'recorded',
      } = call.body;
      const wanted = { impactBatchId, settlementIds, quantity, status };
      const { shown, contributionCount } = await options.sandbox.makeImpactBatch(callerIn(call), wanted);
      return { impact_batch: impactBatchToWire(shown, contributionCount) };
    },
  });
}

function refuseBoth({ impact_batch_id: batch, settlement_ids: settlements }: Body): void {
  if ((batch === undefined) !== (settlements === undefined)) return;
  const message = 'Send settlement_ids for a new batch, or impact_batch_id to advance one.';
  const code = batch === undefined ? 'missing' : 'not_together';
  throw invalidRequest([problem('settlement_ids', code, message)]);
}
