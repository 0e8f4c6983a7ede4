import type { ContributionSeals } from '../../domain/contributions/contribution-seal.ts';
import { formatValue } from '../../domain/settlements/compare-with-line.ts';
import { listSealedContributions, type StoredContribution } from '../../store/contributions/contribution-seal.ts';
import type { Queryable } from '../../store/database.ts';
import { EditedContributionError, WHAT_TO_DO } from './unverified-record.ts';

/** A contribution that is not as the service recorded it. */
export interface ContributionProblem {
  readonly transactionId: string;
  readonly code: 'contribution_changed' | 'contribution_removed' | 'contribution_unsealed' | 'contribution_unknown_key';
  readonly message: string;
}

export function editedContribution({ message }: Pick<ContributionProblem, 'message'>): EditedContributionError {
  return new EditedContributionError(`${message} ${WHAT_TO_DO}`);
}

export interface SealCheck {
  readonly seals: ContributionSeals;
  /** Whether a contribution without a seal is accepted. */
  acceptsUnsealed(contribution: StoredContribution): boolean;
}

/** Whether a row matches its seal. */
export function checkContributionSeal(
  row: StoredContribution,
  { seals, acceptsUnsealed }: SealCheck,
): ContributionProblem | undefined {
  const { transactionId } = row.contribution;
  switch (seals.check(row)) {
    case 'sealed':
      return undefined;
    case 'changed':
      return {
        transactionId,
        code: 'contribution_changed',
        message: `The contribution ${transactionId} does not match its seal: its row or its seal was edited.`,
      };
    case 'unsealed':
      if (acceptsUnsealed(row)) return undefined;
      return {
        transactionId,
        code: 'contribution_unsealed',
        message: `The contribution ${transactionId} has no seal: this service did not write it, or its seal was removed.`,
      };
    case 'unknown_key':
      return {
        transactionId,
        code: 'contribution_unknown_key',
        message: `The contribution ${transactionId} is sealed with the key ${formatValue(row.sealKey)}, which is not in AUDIT_KEY: add it after the other keys.`,
      };
  }
}

/**
 * A problem for each of these contributions that does not match its seal, or is missing; with `mustBeConfirmed` also for each that is not
 * confirmed.
 */
export async function findUnverified(
  db: Queryable,
  { partnerId, transactionIds }: { readonly partnerId: string; readonly transactionIds: readonly string[] },
  { mustBeConfirmed, ...check }: SealCheck & { readonly mustBeConfirmed: boolean },
): Promise<ContributionProblem[]> {
  if (transactionIds.length === 0) return [];
  const rows = await listSealedContributions(db, partnerId, transactionIds);
  const byId = new Map(rows.map((row) => [row.contribution.transactionId, row]));
  const problems: ContributionProblem[] = [];
  for (const transactionId of transactionIds) {
    const row = byId.get(transactionId);
    const problem = row
      ? (checkContributionSeal(row, check) ?? (mustBeConfirmed ? notConfirmed(row) : undefined))
      : removed(transactionId);
    if (problem) problems.push(problem);
  }
  return problems;
}

function removed(transactionId: string): ContributionProblem {
  const message = `The contribution ${transactionId} was removed: it was confirmed and is on no settlement.`;
  return { transactionId, code: 'contribution_removed', message };
}

function notConfirmed({ contribution: { transactionId, status } }: StoredContribution): ContributionProblem | undefined {
  if (status === 'confirmed') return undefined;
  const message = `The contribution ${transactionId} is ${formatValue(status)}, but its event says that it was confirmed.`;
  return { transactionId, code: 'contribution_changed', message };
}
