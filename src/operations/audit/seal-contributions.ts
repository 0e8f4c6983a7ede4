import type { Actor } from '../../domain/access/role.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { eachPartner } from '../../store/access/partner.ts';
import { readClock } from '../../store/clock.ts';
import type { ContributionId } from '../../store/contributions/contribution.ts';
import { listOpenContributionReviewIds } from '../../store/contributions/contribution-review.ts';
import {
  listSealedContributions,
  type StoredContribution,
  updateContributionsUnsealed,
} from '../../store/contributions/contribution-seal.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { NodeReader } from '../../store/node-reader.ts';
import type { LongStatements } from '../../store/query.ts';
import { findOpenSettlement } from '../../store/settlements/settlement.ts';
import { eachLeft } from '../../store/settlements/unsettled-contribution.ts';
import { databaseOf } from '../../store/transaction.ts';
import { forEachPartner } from '../for-each-partner.ts';
import { checkContributionSeal, editedContribution, type SealCheck } from './check-contributions.ts';
import { endAdoption, ensureSealStart, findSealStart, type SealStart } from './seal-start.ts';
import { type AuditedDatabase, verifyAudit } from './verify-audit.ts';

const LONG: LongStatements = { timeoutMs: 4_500 };

export interface SealingOptions {
  readonly signal: AbortSignal;
  /** Replaces the database's clock in tests. */
  readonly now?: Date | undefined;
}

/**
 * Seals the contributions that the previous release wrote, until none of its transactions can be under way. From then on it does nothing,
 * and a contribution without a seal was not written by this service. Repeatable, and safe in several processes at once.
 *
 * @returns How many were sealed.
 */
export async function sealContributions(
  database: Database,
  actor: Actor,
  { signal, now }: SealingOptions,
): Promise<{ sealed: number }> {
  const counts = { sealed: 0 };
  const start = await ensureSealStart(database, actor);
  if (start.endedAt) return counts;
  const beganAt = now ?? (await readClock(database.pool));
  const failed = (count: number) => `Contributions of ${pluralise(count, 'partner')} could not be sealed.`;
  await forEachPartner(new NodeReader(database), eachPartner(database.pool), { signal, failed }, async ({ partnerId }) => {
    counts.sealed += await adoptUnsealed(database, partnerId, start);
  });
  if (beganAt >= start.adoptsUntil && !signal.aborted) await endAdoption(database, actor);
  return counts;
}

/** Seals the contributions of one partner that have no seal, and are not settled or not decided yet. */
export async function adoptUnsealed(database: Database, partnerId: string, start: SealStart): Promise<number> {
  if (start.endedAt) return 0;
  let count = 0;
  for await (const transactionIds of eachUnfinished(database.pool, partnerId)) {
    const unsealed = await listUnsealed(database.pool, partnerId, transactionIds);
    await seal(database, partnerId, unsealed);
    count += unsealed.length;
  }
  return count;
}

/**
 * Seals a contribution that has no seal while those of the previous release are being sealed, with an audit from which nothing was removed. Call this
 * before the transaction that calls {@link requireSealed}: to verify the audit takes the longer the more entries there are.
 */
export async function adoptIfUnsealed(database: Database, { partnerId, transactionId }: ContributionId): Promise<void> {
  if ((await findSealStart(database.pool, database))?.endedAt) return;
  const unsealed = await listUnsealed(database.pool, partnerId, [transactionId]);
  if (unsealed.length > 0 && (await verifyAudit(database)).fault === null) await seal(database, partnerId, unsealed);
}

async function listUnsealed(
  db: Queryable,
  partnerId: string,
  transactionIds: readonly string[],
): Promise<readonly StoredContribution[]> {
  return (await listSealedContributions(db, partnerId, transactionIds)).filter((row) => row.seal === null);
}

async function seal(
  { pool, contributionSeals }: Database,
  partnerId: string,
  unsealed: readonly StoredContribution[],
): Promise<void> {
  const parts = unsealed.map((row) => ({ contribution: row.contribution, part: contributionSeals.begin(row) }));
  await updateContributionsUnsealed(pool, partnerId, parts);
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
 * The current rule for contributions without a seal. They are accepted while those of the previous release are being sealed, with an
 * audit from which nothing was removed, and when they failed before that: they settle nothing.
 */
export async function sealCheckAt(database: AuditedDatabase & Pick<Database, 'contributionSeals'>): Promise<SealCheck> {
  const start = await findSealStart(database.pool, database);
  const isAdopting = !start?.endedAt && (await verifyAudit(database)).fault === null;
  const acceptsUnsealed = ({ contribution: { status, createdAt } }: StoredContribution) =>
    isAdopting || (status === 'failed' && start !== undefined && createdAt < (start.endedAt ?? start.adoptsUntil));
  return { seals: database.contributionSeals, acceptsUnsealed };
}

/** The rule where those without a seal were sealed before: none is accepted. */
export function sealedOnly({ contributionSeals }: Pick<Database, 'contributionSeals'>): SealCheck {
  return { seals: contributionSeals, acceptsUnsealed: () => false };
}

/**
 * @throws EditedContributionError When the row does not match its seal: the next seal would confirm the edit.
 */
export async function requireSealed(db: Queryable, { partnerId, transactionId }: ContributionId): Promise<void> {
  const [row] = await listSealedContributions(db, partnerId, [transactionId]);
  const problem = row && checkContributionSeal(row, sealedOnly(databaseOf(db)));
  if (problem) throw editedContribution(problem);
}
