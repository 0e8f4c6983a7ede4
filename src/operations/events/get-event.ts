import { recordNotFound } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { type EventRecord, findEvent } from '../../store/events/event.ts';

/**
 * For operators.
 *
 * @throws ServiceError `invalid_request` (404) when the partner has no such event.
 */
export async function getEvent(db: Queryable, partnerId: string, eventId: string): Promise<EventRecord> {
  const event = await findEvent(db, partnerId, eventId);
  if (event) return event;
  throw recordNotFound('event_id', `The partner ${partnerId} has no event ${eventId}. \`event list --partner ID\` shows all.`);
}
