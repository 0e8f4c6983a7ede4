import { findContributionsById } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import type { SubjectOfEvent } from '../../store/events/event.ts';

/** What people call the subject of an event. */
export interface NamedSubject {
  readonly occurredAt: Date;
  /** The contribution that the event is about, and its order; `null` where it is about something else. */
  readonly transactionId: string | null;
  readonly partnerOrderRef: string | null;
}

/**
 * Reads the contributions of all events by their keys at once, and nothing where no event is about one.
 *
 * @returns By the ids of the events.
 */
export async function readOrdersOfEvents(
  db: Queryable,
  partnerId: string,
  events: readonly SubjectOfEvent[],
): Promise<ReadonlyMap<string, NamedSubject>> {
  const ids = new Set(events.map(({ subjectId }) => subjectId).filter((id) => id.startsWith('txn_')));
  const wanted = [...ids].map((transactionId) => ({ partnerId, transactionId }));
  const found = wanted.length === 0 ? [] : await findContributionsById(db, wanted);
  const orders = new Map(found.map(({ contribution }) => [contribution.transactionId, contribution.partnerOrderRef]));
  return new Map(
    events.map(({ eventId, occurredAt, subjectId }) => {
      const partnerOrderRef = orders.get(subjectId) ?? null;
      return [eventId, { occurredAt, transactionId: partnerOrderRef === null ? null : subjectId, partnerOrderRef }];
    }),
  );
}
