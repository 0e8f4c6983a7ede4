import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, unavailable } from '../../domain/service-error.ts';
import type { ApplyScenario, RehearsalRequest } from '../../operations/sandbox/apply-scenario.ts';
import { SCENARIO_HEADER } from './scenario-of-request.ts';

/** The most answers that wait on request at a time, of one partner and in one process. */
const SLOW_MAX = 16;

export interface Play<Outcome> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly rehearsal: RehearsalRequest;
  readonly applyScenario: ApplyScenario;
  /** The real operation, under the scenario. */
  work(): Promise<Outcome>;
}

/**
 * Plays a scenario: a refusal before anything is stored, a broken connection, a late answer. A lost or late answer applies only to the
 * request that stored something; a replay is answered at once.
 *
 * @returns `undefined` when the connection was dropped and there is nobody to answer.
 * @throws ServiceError `rate_limited` and `internal_service_unavailable` as requested, and what the operation throws.
 */
export async function playScenario<Outcome extends { readonly isReplay: boolean }>(
  play: Play<Outcome>,
): Promise<Outcome | undefined> {
  const { request, reply, rehearsal, applyScenario, work } = play;
  const { name, text, slowMs } = rehearsal.scenario;
  reply.header(SCENARIO_HEADER, text);
  if (await applyScenario.isRefused(rehearsal)) {
    if (name === 'timeout_before_commit') return drop(request, reply);
    throw refusal(name);
  }
  if (name === 'slow') return beSlow(rehearsal.partnerId, slowMs, work);
  const outcome = await work();
  return name === 'timeout_after_commit' && !outcome.isReplay ? drop(request, reply) : outcome;
}

function refusal(name: string): ServiceError {
  return name === 'rate_limited'
    ? new ServiceError('rate_limited', 'Simulated: too many requests. Retry after the time in Retry-After.')
    : unavailable('Simulated: the service is unavailable; whether the request is recorded is not known.');
}

function drop(request: FastifyRequest, reply: FastifyReply): undefined {
  reply.hijack();
  request.raw.socket.destroy();
}

const slowOf = new Map<string, number>();

/** Counted before the work: a request above the limit has stored nothing. */
async function beSlow<Outcome extends { readonly isReplay: boolean }>(
  partnerId: string,
  slowMs: number,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const underWay = slowOf.get(partnerId) ?? 0;
  if (underWay >= SLOW_MAX) {
    const message = `At most ${SLOW_MAX} slow answers of a partner wait at once. Retry after the time in Retry-After.`;
    throw new ServiceError('rate_limited', message, { limit: 'sandbox_slow' });
  }
  slowOf.set(partnerId, underWay + 1);
  try {
    const outcome = await work();
    if (!outcome.isReplay) await sleep(slowMs, undefined, { ref: false });
    return outcome;
  } finally {
    const left = (slowOf.get(partnerId) ?? 1) - 1;
    if (left > 0) slowOf.set(partnerId, left);
    else slowOf.delete(partnerId);
  }
}
