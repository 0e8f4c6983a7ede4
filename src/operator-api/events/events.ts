import { getPartner } from '../../operations/access/manage-partner.ts';
import { writeEventBodies } from '../../operations/events/event-bodies.ts';
import * as operations from '../../operations/events/get-event.ts';
import { operatorRoute } from '../route.ts';
import { integerText, partnerAnd, shape, text, time } from '../schema-parts.ts';

export const getEvent = operatorRoute({
  operation: 'getEvent',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/events/:event_id',
  tag: 'Webhooks',
  summary: 'Show an event with its body',
  description:
    'The deliveries of the event are those of `listDeliveries` with its `event_id`. An event is kept for `EVENT_RETENTION_DAYS`.',
  leastRole: 'viewer',
  params: partnerAnd('event_id', 'The id of the event.'),
  answer: shape('EventDetail', {
    partner_id: text('The id of the partner.'),
    event_id: text('The id of the event.'),
    event_type: text('The type of the event.'),
    sequence: integerText('The number of the event among those of the partner.'),
    occurred_at: time('When it occurred.'),
    subject_id: text('What it is about, such as a contribution.'),
    body: text('The bytes that are signed and sent, the same for every delivery.'),
  }),
  async handle({ tools: { database, environment }, params: { partner_id: partnerId, event_id: eventId } }) {
    await getPartner(database.pool, partnerId);
    const found = await operations.getEvent(database.pool, partnerId, eventId);
    const [event] = await writeEventBodies(database.pool, environment, [found]);
    const { eventType, sequence, occurredAt, subjectId, body } = event as NonNullable<typeof event>;
    return {
      partner_id: partnerId,
      event_id: eventId,
      event_type: eventType,
      sequence,
      occurred_at: occurredAt,
      subject_id: subjectId,
      body: body.toString(),
    };
  },
});
