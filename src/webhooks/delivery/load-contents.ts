import type { Environment } from '../../domain/access/api-key.ts';
import { type WrittenEvent, writeEventBodies } from '../../operations/events/event-bodies.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { type EventRecord, findEventsBySequence } from '../../store/events/event.ts';
import { type ClaimedDelivery, deleteDeliveries } from '../../store/webhooks/delivery.ts';

/** The content that is sent: the stored bytes, and the correlation id of the request that caused them. */
export interface Content {
  readonly body: Buffer;
  readonly correlationId: string;
}

export interface ContentTools {
  readonly database: Database;
  readonly environment: Environment;
  readonly onError: (error: unknown) => void;
}

/** The contents of claimed deliveries of one partner, by delivery id. One that cannot be written is reported, and left out. */
export async function loadContents(
  { database: { pool }, environment, onError }: ContentTools,
  partnerId: string,
  claims: readonly ClaimedDelivery[],
): Promise<Map<string, Content>> {
  const sequences = [...new Set(claims.flatMap(({ sequence }) => sequence ?? []))];
  const events = sequences.length === 0 ? [] : await findEventsBySequence(pool, partnerId, sequences);
  await deleteDeliveries(pool, partnerId, orphansOf(claims, events));
  const written = await writeEventBodies(pool, environment, events).catch(() =>
    writeOneByOne(pool, environment, events, onError),
  );
  const bySequence = new Map(written.map((event) => [event.sequence, event]));
  const contents = claims.flatMap(({ deliveryId, eventId, sequence, body }): [string, Content][] => {
    const event = sequence === null ? undefined : bySequence.get(sequence);
    const bytes = body === null ? event?.body : Buffer.from(body);
    // A test has no request that caused it, and an old event may lack it.
    return bytes === undefined ? [] : [[deliveryId, { body: bytes, correlationId: event?.correlationId ?? eventId }]];
  });
  return new Map(contents);
}

/** Deliveries that were created again just when the retention of their event ended. */
function orphansOf(claims: readonly ClaimedDelivery[], events: readonly EventRecord[]): string[] {
  const present = new Set(events.map(({ sequence }) => sequence));
  return claims.flatMap(({ deliveryId, sequence }) => (sequence === null || present.has(sequence) ? [] : [deliveryId]));
}

/** One that cannot be written is reported, and does not stop the others. */
async function writeOneByOne(
  db: Queryable,
  environment: Environment,
  events: readonly EventRecord[],
  onError: (error: unknown) => void,
): Promise<WrittenEvent[]> {
  const written: WrittenEvent[] = [];
  for (const event of events) {
    try {
      written.push(...(await writeEventBodies(db, environment, [event])));
    } catch (error) {
      onError(error);
    }
  }
  return written;
}
