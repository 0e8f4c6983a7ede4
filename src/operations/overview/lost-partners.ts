import { sharedRead } from '../../concurrency/shared-read.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { findPartners } from '../../store/access/partner.ts';
import type { Database } from '../../store/database.ts';
import { problemOf } from '../../store/database-problem.ts';
import { listEventCounters } from '../../store/events/event.ts';
import { NodeReader } from '../../store/node-reader.ts';

const NAMED_MAX = 5;

/** Several requests fail together, and each page asks again. */
const sentences = sharedRead({ leastMs: 5_000, mostMs: 5_000 }, async (database: Database): Promise<string> => {
  const nodes = new NodeReader(database);
  // Also throws when no node answers.
  await listEventCounters(nodes).catch(() => []);
  const lostIds = nodes.lost.flatMap(({ partnerIds }) => [...partnerIds]);
  if (lostIds.length === 0) return 'It answers again: read the page once more.';
  const named = await findPartners(database.pool, lostIds.slice(0, NAMED_MAX));
  const names = named.map(({ partnerId, name }) => `${name} (${partnerId})`).join(', ');
  const more = lostIds.length > named.length ? ` and ${lostIds.length - named.length} more` : '';
  return `It has the records of ${pluralise(lostIds.length, 'partner')}: ${names}${more}.`;
});

/**
 * For a request that failed because a worker of a cluster does not answer: what that means, and for which partners. What includes them is
 * refused as a whole, so that no figure leaves them out unsaid.
 *
 * @returns `undefined` for any other failure.
 */
export async function explainLostWorker(database: Database, error: unknown): Promise<string | undefined> {
  if (!database.isDistributed || problemOf(error)?.reason !== 'worker_lost') return undefined;
  const which = await sentences.read(database, '').catch(() => undefined);
  return [
    'A worker of the database does not answer.',
    ...(which === undefined ? [] : [which]),
    'Lists and figures that include these partners are not shown until it is back, because they would be incomplete; pages of one other partner work.',
    'Whoever runs the service finds the worker in its log and at /readyz (worker_lost).',
  ].join(' ');
}
