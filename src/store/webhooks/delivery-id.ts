/** The id of an event's delivery to an endpoint, which the service and its statements make of both: there is only one. */

/** A sample, which is sent as often as somebody wants it, gets the one of a new event id. */
export function deliveryIdOf(eventId: string, endpointId: string): string {
  return `${prefixOf(eventId)}.${endpointId.slice(-8)}`;
}

/** The ids of the deliveries of an event, to whichever endpoint, are from `fromId` on and before `beforeId`. */
export function deliveryIdsOf(eventId: string): { readonly fromId: string; readonly beforeId: string } {
  const prefix = prefixOf(eventId);
  return { fromId: `${prefix}.`, beforeId: `${prefix}/` };
}

function prefixOf(eventId: string): string {
  return `dlv_${eventId.slice('evt_'.length)}`;
}

/**
 * SQL for {@link deliveryIdOf}.
 *
 * @param eventId SQL, as is `endpointId`.
 */
export function deliveryIdSql(eventId: string, endpointId: string): string {
  return `${prefixSql(eventId)} || '.' || right(${endpointId}, 8)`;
}

/**
 * SQL for a condition: the delivery is one of an event, to whichever endpoint. It is the range of the key that {@link deliveryIdsOf}
 * gives, and its end too, which is the id of no delivery.
 *
 * @param deliveryId SQL, as is `eventId`.
 */
export function isDeliveryOf(deliveryId: string, eventId: string): string {
  const prefix = prefixSql(eventId);
  return `${deliveryId} between ${prefix} || '.' and ${prefix} || '/'`;
}

function prefixSql(eventId: string): string {
  return `'dlv_' || substr(${eventId}, 5)`;
}
