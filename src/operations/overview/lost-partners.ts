import { sharedRead } from '../../concurrency/shared-read.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { findPartners } from '../../store/access/partner.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { type DatabaseProblem, isWithoutWorker, problemOf } from '../../store/database-problem.ts';
import { listEventCounters } from '../../store/events/event.ts';
import { NodeReader, partnersOn } from '../../store/node-reader.ts';

const NAMED_MAX = 5;

/** Several requests fail together, and each page asks again. */
const sentences = sharedRead({ leastMs: 5_000, mostMs: 5_000 }, async (database: Database): Promise<string> => {
  const nodes = new NodeReader(database);
  // Also throws when no node answers.
  await listEventCounters(nodes).catch(() => []);
  const lostIds = [...partnersOn(nodes.lost)];
  if (lostIds.length === 0) return 'It answers again: read the page once more.';
  return namePartners(database.pool, lostIds);
});

async function namePartners(db: Queryable, lostIds: readonly string[]): Promise<string> {
  const named = await findPartners(db, lostIds.slice(0, NAMED_MAX));
  const names = named.map(({ partnerId, name }) => `${name} (${partnerId})`).join(', ');
  const more = lostIds.length > named.length ? ` and ${lostIds.length - named.length} more` : '';
  return `It has the records of ${pluralise(lostIds.length, 'partner')}: ${names}${more}.`;
}

const NO_ANSWER = 'A worker of the database does not answer.';

/** For an answer that has the records of all other partners; `null` where none are left out. */
export async function explainLeftOut(db: Queryable, lostIds: ReadonlySet<string>): Promise<string | null> {
  return lostIds.size === 0 ? null : `${NO_ANSWER} ${await namePartners(db, [...lostIds])} More may be found when it is back.`;
}

/** Of a worker to which the coordinator gets no connection, with a full stop. */
export function sayWithoutWorker({ reason }: DatabaseProblem): string {
  return reason === 'worker_lost' ? NO_ANSWER : 'A worker of the database takes no further connections.';
}

/**
 * For a request that failed because the coordinator of a cluster gets no connection to a worker: what that means, and for which partners. What includes them is
 * refused as a whole, so that no figure leaves them out unsaid.
 *
 * @returns `undefined` for any other failure.
 */
export async function explainLostWorker(database: Database, error: unknown): Promise<string | undefined> {
  const problem = problemOf(error);
  if (!database.isDistributed || !problem || !isWithoutWorker(problem)) return undefined;
  const which = await sentences.read(database, '').catch(() => undefined);
  return [
    sayWithoutWorker(problem),
    ...(which === undefined ? [] : [which]),
    'Lists and figures that include these partners are not shown meanwhile, because they would be incomplete; pages of one other partner work.',
    `Whoever runs the service finds the worker in its log and at /readyz (${problem.reason}).`,
  ].join(' ');
}
