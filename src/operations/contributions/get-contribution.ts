import { byPartner, createBatcher, type LookupOptions } from '../../concurrency/batch-queue.ts';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import {
  type LookedUpContribution,
  lookUpContributionsByEvent,
  lookUpContributionsById,
} from '../../store/contributions/looked-up-contribution.ts';
import type { Database } from '../../store/database.ts';

export interface EventLookup {
  readonly partnerId: string;
  readonly partnerEventId: string;
}

export interface IdLookup {
  readonly partnerId: string;
  readonly transactionId: string;
}

export interface GetContribution {
  byPartnerEventId(lookup: EventLookup): Promise<LookedUpContribution>;
  byId(lookup: IdLookup): Promise<LookedUpContribution>;
}

const LIMITS = { batchMax: 256, waitingMax: 4_096, waitMaxMs: 5_000, shareOf: byPartner };

/**
 * Looks up a contribution. Throws `contribution_not_found`, also for another partner's record. Always reads the primary, and finds
 * everything that was committed before the call: a stale "not found" would be wrong.
 *
 * @see docs/spec/interface.md#getcontributionbypartnereventid and docs/spec/interface.md#getcontributionbyid.
 */
export function createGetContribution(database: Database, together: LookupOptions): GetContribution {
  const findByEvent = createBatcher<EventLookup, LookedUpContribution | undefined>({
    ...LIMITS,
    ...together,
    run: (lookups) => lookUpContributionsByEvent(database.pool, lookups),
  });
  const findById = createBatcher<IdLookup, LookedUpContribution | undefined>({
    ...LIMITS,
    ...together,
    run: (lookups) => lookUpContributionsById(database.pool, lookups),
  });
  return {
    byPartnerEventId: async (lookup) => found(await findByEvent(lookup), 'partner_event_id'),
    byId: async (lookup) => found(await findById(lookup), 'transaction_id'),
  };
}

function found(record: LookedUpContribution | undefined, field: 'partner_event_id' | 'transaction_id'): LookedUpContribution {
  if (!record) throw contributionNotFound(field);
  return record;
}
