import { getPartner } from '../../operations/access/manage-partner.ts';
import { writeEventBodies } from '../../operations/events/event-bodies.ts';
import { readOrdersOfEvents } from '../../operations/events/orders-of-events.ts';
import { inOrderOf, readFilteredPage, wantedBy } from '../../operations/filtered-page.ts';
import { BOUNDED_COUNT_MAX } from '../../operations/overview/read-overview.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { Queryable } from '../../store/database.ts';
import { findEvent, listSubjectsOfEvents } from '../../store/events/event.ts';
import type { KeysetPage, Placed } from '../../store/ordered-list.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../store/webhooks/delivery.ts';
import {
  type LoggedDelivery,
  listDeliveriesInOrder,
  listDeliveriesOfIds,
  listUnendedIds,
} from '../../store/webhooks/delivery-log.ts';
import * as operations from '../../webhooks/endpoints/manage-delivery.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, listOf, nullableText, oneOf, partnerAnd, shape } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { AttemptBody, attemptToWire, DeliveryBody, deliveryToWire } from './webhook-schemas.ts';

const id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

const order = sorting(['occurred_at'], '-occurred_at');

interface Wanted {
  readonly partnerId: string;
  readonly endpointId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
}

/**
 * The ids of what waits for an endpoint, where it is little: then its place among all deliveries says nothing. What is much is among the
 * latest.
 */
async function findFew(db: Queryable, { partnerId, endpointId, status }: Wanted): Promise<readonly string[] | undefined> {
  if (endpointId === undefined || (status !== 'waiting' && status !== 'held')) return undefined;
  const ids = await listUnendedIds(db, { partnerId, endpointId }, BOUNDED_COUNT_MAX + 1);
  return ids.length > BOUNDED_COUNT_MAX ? undefined : ids;
}

async function readFew(
  db: Queryable,
  partnerId: string,
  ids: readonly string[],
  { order: { isDescending }, after, limit }: KeysetPage<string>,
): Promise<(LoggedDelivery & Placed)[]> {
  const sorted = isDescending ? ids.toSorted().toReversed() : ids.toSorted();
  const from = after?.[0];
  const rest = sorted.filter((id) => from === undefined || (isDescending ? id < from : id > from)).slice(0, limit);
  return inOrderOf(rest, await listDeliveriesOfIds(db, partnerId, rest), ({ deliveryId }) => deliveryId);
}

export const listDeliveries = operatorRoute({
  operation: 'listDeliveries',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/deliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of a partner',
  description: LOOKS_AT,
  leastRole: 'viewer',
  params: Type.Object({ partner_id: Type.String({ description: 'The id of the partner.' }) }),
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      endpoint_id: id('Only those of this endpoint.'),
      event_id: id('Only those of this event.'),
      status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only those that stand so.')),
      event_type: id('Only those of events of this type.'),
    },
    closed,
  ),
  answer: pageOf('DeliveryPage', 'deliveries', DeliveryBody, 'The deliveries of the page.'),
  async handle({ tools: { database }, params: { partner_id: partnerId }, query }) {
    const { endpoint_id: endpointId, event_id: eventId, status } = query;
    const { event_type: eventType } = query;
    const { page, end } = sortedPage('listDeliveries', order, query, [partnerId, endpointId, eventId, status, eventType]);
    await getPartner(database.pool, partnerId);
    const few = await findFew(database.pool, { partnerId, endpointId, status });
    const exhaustedOf = status === 'exhausted' ? endpointId : undefined;
    const isExhausted = exhaustedOf !== undefined;
    const found = await readFilteredPage({
      page,
      read: (part) =>
        few
          ? readFew(database.pool, partnerId, few, part)
          : listDeliveriesInOrder(database.pool, { partnerId, eventId, exhaustedOf }, part),
      isWanted: wantedBy({ eventType, ...(few && { eventId }), ...(!isExhausted && { endpointId, status }) }),
    });
    const subjects = await subjectsOf(database.pool, partnerId, found.page);
    return {
      deliveries: found.page.map((each) => deliveryToWire(each, subjects.get(each.eventId))),
      ...end(found.last, found.hasMore),
    };
  },
});

async function subjectsOf(db: Queryable, partnerId: string, deliveries: readonly LoggedDelivery[]) {
  const eventIds = [...new Set(deliveries.map(({ eventId }) => eventId))];
  return readOrdersOfEvents(db, partnerId, await listSubjectsOfEvents(db, partnerId, eventIds));
}

const params = partnerAnd('delivery_id', 'The id of the delivery.');

export const getDelivery = operatorRoute({
  operation: 'getDelivery',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/deliveries/:delivery_id',
  tag: 'Webhooks',
  summary: 'Show a delivery with all its attempts',
  leastRole: 'viewer',
  params,
  answer: shape('DeliveryDetail', {
    delivery: DeliveryBody,
    subject_id: nullableText('What the event is about, such as a contribution; `null` of a test.'),
    body: nullableText('The bytes that are signed and sent, the same for every attempt; `null` of a test.'),
    attempts: listOf(AttemptBody, 'The attempts of the delivery, the earliest first.'),
  }),
  async handle({ tools: { database, environment }, params: { partner_id: partnerId, delivery_id: deliveryId } }) {
    const { log, ...delivery } = await operations.getDelivery(database, partnerId, deliveryId);
    const event = await findEvent(database.pool, partnerId, delivery.eventId);
    const subjects = await readOrdersOfEvents(database.pool, partnerId, event ? [event] : []);
    const [written] = event ? await writeEventBodies(database.pool, environment, [event]) : [];
    return {
      delivery: deliveryToWire(delivery, subjects.get(delivery.eventId)),
      subject_id: event?.subjectId ?? null,
      body: written?.body.toString() ?? null,
      attempts: log.map(attemptToWire),
    };
  },
});

export const resendDelivery = operatorRoute({
  operation: 'resendDelivery',
  method: 'POST',
  path: '/operator/v1/partners/:partner_id/deliveries/:delivery_id/resend',
  tag: 'Webhooks',
  summary: 'Send a delivery again at once',
  leastRole: operations.resend.leastRole,
  isFinal: true,
  params,
  answer: DeliveryBody,
  handle: ({ tools, actor, work, params: { partner_id: partnerId, delivery_id: deliveryId } }) =>
    work.answer(
      tools.database,
      (database) => operations.resend(database, actor, { partnerId, deliveryId }),
      async (delivery, db) => deliveryToWire(delivery, (await subjectsOf(db, partnerId, [delivery])).get(delivery.eventId)),
    ),
});
