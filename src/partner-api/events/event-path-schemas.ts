import { Echo } from '../envelope-schemas.ts';
import { closed, int64, longId } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';
import { Event } from './event-kinds.ts';

/** The shapes of the paths of events. @see docs/spec/decisions.md#7-events. */

export const EVENT_PAGE = { default: 100, max: 500 } as const;

/** Numbers are digits in a query: the code gets their text. */
export const ListEventsQuery = Type.Object(
  {
    after_sequence: Type.Optional(
      Type.Unsafe<string>({
        type: 'integer',
        format: 'int64',
        minimum: 0,
        default: 0,
        description: 'The page begins after this `sequence`: the `next_after_sequence` of the previous page.',
      }),
    ),
    limit: Type.Optional(
      Type.Unsafe<string>({
        type: 'integer',
        minimum: 1,
        maximum: EVENT_PAGE.max,
        default: EVENT_PAGE.default,
        description: 'The largest number of events of a page.',
      }),
    ),
  },
  closed,
);

export const EventParams = Type.Object({ event_id: longId('The id of the event.') });

export const EventPageBody = Type.Object(
  {
    events: Type.Array(Event, {
      description: 'The events in the order of their `sequence`, each in the bytes that webhooks send.',
    }),
    next_after_sequence: int64('The value of `after_sequence` for the next page, now or later.', { minimum: 0 }),
    has_more: Type.Boolean({ description: 'Whether there are more events now.' }),
    request: Echo,
  },
  closed,
);

export const EventBody = Type.Object({ event: Event, request: Echo }, closed);
