import type { Environment } from '../domain/access/api-key.ts';
import { EVENT_API_VERSION, type EventHead } from '../domain/events/event.ts';
import { exactJson } from './exact-json.ts';

/**
 * The body of an event: exactly the text that is stored, signed and sent.
 *
 * @see docs/spec/interface.md#events; docs/spec/decisions.md#7-events, Envelope.
 */
export function eventToText(head: EventHead, environment: Environment, data: object): string {
  return exactJson({
    event_id: head.eventId,
    event_type: head.eventType,
    api_version: EVENT_API_VERSION,
    environment,
    sequence: head.sequence,
    occurred_at: head.occurredAt.toISOString(),
    correlation_id: head.correlationId,
    data,
  });
}

/** A page of events, each exactly as it is sent: a body that is parsed and written again would not be the signed bytes. */
export function eventPageToBytes(
  { events, nextAfterSequence, hasMore }: { events: readonly Body[]; nextAfterSequence: bigint; hasMore: boolean },
  correlationId: string,
): Buffer {
  const rest = exactJson({
    next_after_sequence: nextAfterSequence,
    has_more: hasMore,
    request: { correlation_id: correlationId },
  });
  const separated = events.flatMap(({ body }, index) => (index === 0 ? [body] : [COMMA, body]));
  return Buffer.concat([Buffer.from('{"events":['), ...separated, Buffer.from(`],${rest.slice(1)}`)]);
}

/** The answer with one event, as bytes. */
export function foundEventToBytes({ body }: Body, correlationId: string): Buffer {
  const rest = exactJson({ request: { correlation_id: correlationId } });
  return Buffer.concat([Buffer.from('{"event":'), body, Buffer.from(`,${rest.slice(1)}`)]);
}

const COMMA = Buffer.from(',');

interface Body {
  /** The text of {@link eventToText} in UTF-8. */
  readonly body: Buffer;
}
