import type { Database, Queryable } from '../../store/database.ts';
import type { Settlement } from '../../store/settlements/settlement.ts';
import { eachLeft, listUnreachable } from '../../store/settlements/unsettled-contribution.ts';
import { findUnverified, type SealCheck } from '../audit/check-contributions.ts';
import { sealCheckAt } from '../audit/seal-contributions.ts';

/** A pool, and the keys of the seals of the audit and the contributions. */
export type VerifiedDatabase = Pick<Database, 'auditKeys' | 'contributionSeals'> & { readonly pool: Queryable };

export interface UnsettledProblem {
  readonly code: string;
  readonly message: string;
}

/** The most contributions that one query checks. */
const ROWS_AT_ONCE = 1_000;
const LONG = { timeoutMs: 4_500 };

/**
 * Verifies the contributions without a line: confirmed ones that no closing would find, all that do not match their seals, whatever their
 * status, and those whose event says that they were confirmed and that are not, or are missing. Each is reported once.
 */
export async function verifyUnsettled(
  database: VerifiedDatabase,
  partnerId: string,
  open: Settlement | undefined,
): Promise<UnsettledProblem[]> {
  const db = database.pool;
  const check = await sealCheckAt(database);
  const followsEvent = open?.followsEvent ?? 0n;
  const problems = new Map<string, UnsettledProblem>();
  for await (const page of eachPage(db, partnerId, followsEvent)) {
    for (const transactionId of page.unreachable)
      problems.set(transactionId, {
        code: 'not_settled',
        message: `The contribution ${transactionId} is on no settlement, and no closing will find it.`,
      });
    await addUnverified(page.unsettled, { ...check, mustBeConfirmed: false });
  }
  for await (const transactionIds of eachLeft(db, { partnerId, followsEvent }, LONG))
    await addUnverified(transactionIds, { ...check, mustBeConfirmed: true });
  return [...problems.values()];

  async function addUnverified(ids: readonly string[], how: SealCheck & { readonly mustBeConfirmed: boolean }): Promise<void> {
    for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
      const some = { partnerId, transactionIds: ids.slice(from, from + ROWS_AT_ONCE) };
      for (const problem of await findUnverified(db, some, how))
        if (!problems.has(problem.transactionId)) problems.set(problem.transactionId, problem);
    }
  }
}

async function* eachPage(db: Queryable, partnerId: string, followsEvent: bigint) {
  for (let after: string | null = ''; after !== null; ) {
    const page = await listUnreachable(db, partnerId, { after, followsEvent });
    yield page;
    after = page.lastTransactionId;
  }
}
