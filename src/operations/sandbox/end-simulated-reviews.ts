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

/** Resolves the pending contributions of a sandbox that are due, each in its own transaction. What fails stops none of the others. */
export async function endDueSimulatedReviews(database: Database, nodes: NodeReader, signal: AbortSignal): Promise<void> {
  const failedIds: string[] = [];
  const failed = (count: number) => `${pluralise(count, 'pending contribution')} could not be ended.`;
  await forEachSettled(eachDue(nodes, failedIds), { signal, failed }, async (end) => {
    try {
      await endSimulatedReview(database, end, newId('corr'));
    } catch (error) {
      failedIds.push(end.transactionId);
      throw error;
    }
  });
}

/** @param failedIds Grows meanwhile. */
async function* eachDue(nodes: NodeReader, failedIds: readonly string[]): AsyncGenerator<SimulatedEnd> {
  for (let isLast = false; !isLast; ) {
    const due = await listSimulatedEndsDue(nodes, CHUNK, failedIds);
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
