import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import type { NodeReader } from '../../store/node-reader.ts';
import { deleteSimulatedEnd, listSimulatedEndsDue, type SimulatedEnd } from '../../store/sandbox/simulated-end.ts';
import { confirmPendingContribution, failPendingContribution } from '../contributions/resolve-pending-contribution.ts';

const CHUNK = 100;
const FAILED_AGAIN_AFTER_MS = 60_000;
/** When so many have failed, no further end is tried until some of them are tried again. */
const FAILED_MAX = 10_000;

/** By transaction id: when its end failed, the oldest first. */
type FailedEnds = Map<string, number>;

/**
 * Resolves the pending contributions of a sandbox that are due, each in its own transaction. What fails stops none of the others, and is
 * tried again after a minute.
 *
 * @returns A function that resolves those there are now.
 */
export function openSimulatedEnding(database: Database, nodes: NodeReader): (signal: AbortSignal) => Promise<void> {
  const failedEnds: FailedEnds = new Map();
  const failed = (count: number) => `${pluralise(count, 'pending contribution')} could not be ended.`;
  return async (signal) => {
    const since = performance.now() - FAILED_AGAIN_AFTER_MS;
    for (const [id, failedAtMs] of failedEnds) if (failedAtMs <= since) failedEnds.delete(id);
    await forEachSettled(eachDue(nodes, failedEnds), { signal, failed }, async (end) => {
      try {
        await endSimulatedReview(database, end, newId('corr'));
      } catch (error) {
        failedEnds.set(end.transactionId, performance.now());
        throw error;
      }
    });
  };
}

/** @param failedEnds Grow meanwhile. */
async function* eachDue(nodes: NodeReader, failedEnds: FailedEnds): AsyncGenerator<SimulatedEnd> {
  for (let isLast = false; !isLast && failedEnds.size < FAILED_MAX; ) {
    const due = await listSimulatedEndsDue(nodes, CHUNK, [...failedEnds.keys()]);
    yield* due;
    isLast = due.length < CHUNK;
  }
}

const NOTE = 'a scenario of the sandbox';

/** Resolves a pending contribution as its partner requested, as an operator would. A final one does not change. */
export async function endSimulatedReview(database: Database, end: SimulatedEnd, correlationId: string): Promise<void> {
  const actor: Actor = { operatorId: 'schedule', role: 'admin', correlationId };
  const resolve = end.outcome === 'confirmed' ? confirmPendingContribution : failPendingContribution;
  try {
    await resolve(database, actor, end, NOTE);
  } catch (error) {
    const isFinal = error instanceof ServiceError && error.code === 'invalid_request';
    if (!isFinal) throw error;
  }
  await deleteSimulatedEnd(database.pool, end);
}
