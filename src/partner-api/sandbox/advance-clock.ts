import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';
import { ClockAnswer, ClockBody } from './sandbox-schemas.ts';

/** Every closing of five years takes time. */
const DEADLINE_MS = 60_000;

/** Advances the partner's own clock, and does what is then due. */
export function advanceSandboxClock(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer<Static<typeof ClockBody>>(app, options, {
    operation: 'advanceSandboxClock',
    path: '/v1/sandbox/clock',
    isSandboxChange: true,
    body: ClockBody,
    answer: ClockAnswer,
    deadlineMs: DEADLINE_MS,
    async work(call) {
      const { body, idempotencyKey } = call;
      const wanted = { ...body, idempotencyKey, usage: options.usage };
      const advanced = await options.sandbox.advanceClock(callerIn(call), wanted);
      return {
        clock: { now: advanced.clock.toISOString() },
        done: {
          estimates_expired: advanced.estimatesEnded,
          contributions_ended: advanced.contributionsEnded,
          contributions_failed: advanced.contributionsExpired,
          settlements_closed: advanced.settlementIds,
        },
      };
    },
  });
}
