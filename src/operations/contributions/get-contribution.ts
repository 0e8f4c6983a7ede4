import { byPartner, createBatcher, type LookupOptions } from '../../concurrency/batch-queue.ts';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import {
  type ContributionRecord,
  findContributionsByEvent,
  findContributionsById,
} from '../../store/contributions/contribution.ts';
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
  byPartnerEventId(lookup: EventLookup): Promise<ContributionRecord>;
  byId(lookup: IdLookup): Promise<ContributionRecord>;
}

const LIMITS = { batchMax: 256, waitingMax: 4_096, waitMaxMs: 5_000, shareOf: byPartner };

/**
 * Looks up a contribution. Throws `contribution_not_found`, also for another partner's record. Always reads the primary, and finds
 * everything that was committed before the call: a stale "not found" would be wrong.
 *
 * @see docs/spec/interface.md#getcontributionbypartnereventid and docs/spec/interface.md#getcontributionbyid.
 */
export function createGetContribution(database: Database, together: LookupOptions): GetContribution {
  const findByEvent = createBatcher<EventLookup, ContributionRecord | undefined>({
    ...LIMITS,
    ...together,
    run: async (lookups) => {
      const found = await findContributionsByEvent(database.pool, lookups);
      const byEvent = new Map(found.map((record) => [keyOf(record.partnerId, record.contribution.partnerEventId), record]));
      return lookups.map(({ partnerId, partnerEventId }) => byEvent.get(keyOf(partnerId, partnerEventId)));
    },
  });
  const findById = createBatcher<IdLookup, ContributionRecord | undefined>({
    ...LIMITS,
    ...together,
    run: async (lookups) => {
      const found = await findContributionsById(database.pool, lookups);
      const byId = new Map(found.map((record) => [keyOf(record.partnerId, record.contribution.transactionId), record]));
      return lookups.map(({ partnerId, transactionId }) => byId.get(keyOf(partnerId, transactionId)));
    },
  });
  return {
    byPartnerEventId: async (lookup) => found(await findByEvent(lookup), 'partner_event_id'),
    byId: async (lookup) => found(await findById(lookup), 'transaction_id'),
  };
}

/** Neither part of a key contains a space. */
function keyOf(partnerId: string, id: string): string {
  return `${partnerId} ${id}`;
}

function found(record: ContributionRecord | undefined, field: 'partner_event_id' | 'transaction_id'): ContributionRecord {
  if (!record) throw contributionNotFound(field);
  return record;
}
