import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RehearsedOperation } from '../../domain/sandbox/scenarios.ts';
import { ServiceError, unavailable } from '../../domain/service-error.ts';
import type { ApplyScenario, RehearsalRequest } from '../../operations/sandbox/apply-scenario.ts';
import { beforeDeadline } from '../http/deadline.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { type Asked, SCENARIO_HEADER, scenarioOfRequest } from './scenario-of-request.ts';

/** The most answers that wait on request at a time, of one partner and in one process. */
const SLOW_MAX = 16;

/** A request that may have a scenario. */
export interface Rehearsable<Payload> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly operation: RehearsedOperation;
  readonly payload: Payload;
}

/** The operation as it is, and under a scenario. */
export interface Ways<Payload, Outcome> {
  readonly plain: (payload: Payload) => Promise<Outcome>;
  readonly rehearsed: (payload: Payload, rehearsal: RehearsalRequest) => Promise<Outcome>;
}

/**
 * Does a confirmation or an estimate, or plays the scenario that it requests.
 *
 * @returns `undefined` when a scenario dropped the connection and there is nobody to answer.
 * @throws ServiceError `rate_limited` and `internal_service_unavailable` as requested, and what the operation throws.
 */
export async function playOrDo<
  Payload extends Pick<Asked, 'partnerOrderRef'> & Pick<RehearsalRequest, 'partnerId' | 'idempotencyKey'>,
  Outcome extends { readonly isReplay: boolean },
>(
  options: PartnerApiOptions,
  { request, reply, operation, payload }: Rehearsable<Payload>,
  { plain, rehearsed }: Ways<Payload, Outcome>,
): Promise<Outcome | undefined> {
  const { partnerId, partnerOrderRef, idempotencyKey } = payload;
  const scenario = scenarioOfRequest(options, { request, operation, partnerOrderRef });
  if (!scenario) return beforeDeadline(request, plain(payload));
  const { applyScenario } = options.operations;
  const { correlationId } = request.context;
  const rehearsal = { scenario, operation, partnerId, idempotencyKey, correlationId };
  const work = () => beforeDeadline(request, rehearsed(payload, rehearsal));
  return playScenario({ request, reply, rehearsal, applyScenario, work });
}

interface Play<Outcome> {
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
 */
async function playScenario<Outcome extends { readonly isReplay: boolean }>(play: Play<Outcome>): Promise<Outcome | undefined> {
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
