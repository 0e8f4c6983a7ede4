import type { FastifyInstance } from 'fastify';
import { settlementToWire } from '../../wire/settlement-to-wire.ts';
import { Settlement } from '../events/event-schemas.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';

const DEADLINE_MS = 40_000;

/** Closes the open settlement now, and opens the next. */
export function closeSandboxSettlement(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer(app, options, {
    operation: 'closeSandboxSettlement',
    path: '/v1/sandbox/settlements/close',
    isSandboxChange: true,
    answer: { settlement: Settlement },
    deadlineMs: DEADLINE_MS,
    async work(call) {
      const { closed } = await options.sandbox.closeSettlement(callerIn(call));
      const { partnerId, settlementId } = closed;
      const shown = await options.operations.readSettlements.byId({ partnerId, settlementId });
      return { settlement: settlementToWire(shown, options.environment) };
    },
  });
}
