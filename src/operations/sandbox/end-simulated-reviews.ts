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

/**
 * Resolves the pending contributions of a sandbox that are due, each in its own transaction.
 *
 * @returns Whether there may be more.
 */
export async function endDueSimulatedReviews(database: Database, nodes: NodeReader, signal: AbortSignal): Promise<boolean> {
  const due = await listSimulatedEndsDue(nodes, CHUNK);
  const failed = (count: number) => `${pluralise(count, 'pending contribution')} could not be ended.`;
  await forEachSettled(due, { signal, failed }, (end) => endSimulatedReview(database, end, newId('corr')));
  return due.length >= CHUNK;
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
