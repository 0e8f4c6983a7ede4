import type { Contribution } from '../../domain/contributions/contribution.ts';
import { wantedBy } from '../filtered-page.ts';

/** Which contributions of a partner a list holds. */
export interface ListingFilter {
  /** At or after this. */
  readonly createdAfter?: Date | undefined;
  /** Before this. */
  readonly createdBefore?: Date | undefined;
  readonly status?: Contribution['status'] | undefined;
  /** Of the request that recorded it. */
  readonly correlationId?: string | undefined;
}

/** What a list reads of a contribution to know whether it holds it. */
type Looked = Pick<Contribution, 'status' | 'createdAt'> & { readonly correlationId?: string | null };

/** Whether the list holds a contribution; `undefined` where it holds all. */
export function wantedByListing({
  createdAfter,
  createdBefore,
  status,
  correlationId,
}: ListingFilter): ((contribution: Looked) => boolean) | undefined {
  const hasValues = wantedBy({ status, correlationId });
  if (createdAfter === undefined && createdBefore === undefined) return hasValues;
  return (contribution) =>
    (hasValues === undefined || hasValues(contribution)) &&
    (createdAfter === undefined || contribution.createdAt >= createdAfter) &&
    (createdBefore === undefined || contribution.createdAt < createdBefore);
}
