import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { newId } from '../../domain/identifiers.ts';
import { pluralise } from '../../domain/pluralise.ts';
import type { Database } from '../../store/database.ts';
import type { NodeReader } from '../../store/node-reader.ts';
import { listSimulatedEndsDue } from '../../store/sandbox/simulated-end.ts';
import { endPending } from './apply-scenario.ts';

const CHUNK = 100;

/**
 * Resolves the pending contributions of a sandbox that are due, each in its own transaction.
 *
 * @returns Whether there may be more.
 */
export async function endDueSimulatedReviews(database: Database, nodes: NodeReader, signal: AbortSignal): Promise<boolean> {
  const due = await listSimulatedEndsDue(nodes, CHUNK);
  const failed = (count: number) => `${pluralise(count, 'pending contribution')} could not be ended.`;
  await forEachSettled(due, { signal, failed }, (end) => endPending(database, end, newId('corr')));
  return due.length >= CHUNK;
}
