import type { Contribution } from '../../domain/contributions/contribution.ts';

/** Which contributions of a partner a list holds. */
export interface ListingTerms {
  /** At or after this. */
  readonly createdAfter?: Date | undefined;
  /** Before this. */
  readonly createdBefore?: Date | undefined;
  readonly status?: Contribution['status'] | undefined;
}

export function meetsTerms(
  contribution: Pick<Contribution, 'status' | 'createdAt'>,
  { status, createdAfter, createdBefore }: ListingTerms,
): boolean {
  return (
    (status === undefined || contribution.status === status) &&
    (createdAfter === undefined || contribution.createdAt >= createdAfter) &&
    (createdBefore === undefined || contribution.createdAt < createdBefore)
  );
}
