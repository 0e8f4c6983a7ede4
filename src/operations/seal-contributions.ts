import type { ContributionId } from '../store/contribution.ts';
import { listOpenContributionReviewIds } from '../store/contribution-review.ts';
import { listSealedContributions, type StoredContribution, updateContributionsUnsealed } from '../store/contribution-seal.ts';
import type { Database, Queryable } from '../store/database.ts';
import { findOpenSettlement, readClock } from '../store/settlement.ts';
import type { LongStatements } from '../store/statement.ts';
import { databaseOf } from '../store/transaction.ts';
import { eachLeft } from '../store/unsettled-contribution.ts';
import { checkSeal, type SealCheck, UnsoundRecordError, WHAT_TO_DO } from './check-contributions.ts';
import { findSealStart, type SealStart } from './seal-start.ts';

const LONG: LongStatements = { timeoutMs: 4_500 };

/**
 * Seals what a partner has from before contributions were sealed and that is to be settled or decided on yet, as it stands. Only until
 * the time that the audit has for it: later, whatever has no seal was not written by this service.
 *
 * @returns How many.
 */
export async function adoptUnsealed(database: Database, partnerId: string, start: SealStart): Promise<number> {
  if ((await readClock(database.pool)) >= start.adoptsUntil) return 0;
  let count = 0;
  for await (const transactionIds of eachUnfinished(database.pool, partnerId)) {
    const rows = await listSealedContributions(database.pool, partnerId, transactionIds);
    const unsealed = rows.filter(({ seal }) => seal === null);
    const parts = unsealed.map((row) => ({ contribution: row.contribution, part: database.contributionSeals.begin(row) }));
    await updateContributionsUnsealed(database.pool, partnerId, parts);
    count += unsealed.length;
  }
  return count;
}

async function* eachUnfinished(db: Queryable, partnerId: string): AsyncGenerator<string[]> {
  const open = await findOpenSettlement(db, partnerId);
  yield* eachLeft(db, { partnerId, followsEvent: open?.followsEvent ?? 0n }, LONG);
  for (let page: string[] | undefined; page === undefined || page.length > 0; ) {
    page = await listOpenContributionReviewIds(db, partnerId, page?.at(-1) ?? '');
    yield page;
  }
}

/**
 * By what contributions are judged now. One without a seal may be so while processes of the release before may have written it, and one that
 * failed before: nothing is settled by it.
 */
export async function sealCheckAt(
  db: Queryable,
  database: Pick<Database, 'auditKeys' | 'contributionSeals'>,
): Promise<SealCheck> {
  const start = await findSealStart(db, database);
  const now = await readClock(db);
  const acceptsUnsealed = ({ contribution: { status, createdAt } }: StoredContribution) =>
    !start || now < start.adoptsUntil || (status === 'failed' && createdAt < start.beganAt);
  return { seals: database.contributionSeals, acceptsUnsealed };
}

/** @throws UnsoundRecordError When the row is not what was sealed: whatever is sealed next would make the edit true. */
export async function requireSealed(db: Queryable, { partnerId, transactionId }: ContributionId): Promise<void> {
  const [row] = await listSealedContributions(db, partnerId, [transactionId]);
  const problem = row && checkSeal(row, await sealCheckAt(db, databaseOf(db)));
  if (problem) throw new UnsoundRecordError(`${problem.message} ${WHAT_TO_DO}`);
}
