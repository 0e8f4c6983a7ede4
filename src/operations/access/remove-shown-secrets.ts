import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { listOperators } from '../../store/access/operator.ts';
import type { Database } from '../../store/database.ts';
import { removeSecretAnswers } from '../../store/keyed-answer.ts';

/** How long the same key gives an operator a secret again: as long as a one-time link works. */
const KEPT_HOURS = 24;

/**
 * Removes the secrets that operators were shown a day ago: API keys, one-time links and secrets of endpoints. Whoever has an old dump of
 * the database and the key of the secrets reads none of them. The answers of partners, whose endpoints keep their secrets, stay.
 *
 * @returns How many were removed.
 */
export async function removeShownSecrets({ pool }: Database, signal: AbortSignal): Promise<number> {
  let removed = 0;
  const failed = (count: number) => `The secrets that ${pluralise(count, 'operator')} were shown could not be removed.`;
  await forEachSettled(await listOperators(pool), { signal, failed }, async ({ operatorId }) => {
    removed += await removeSecretAnswers(pool, operatorId, KEPT_HOURS);
  });
  return removed;
}
