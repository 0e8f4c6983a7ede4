/**
 * Whether a partner's endpoint gets an event of this type. A disabled endpoint does: its deliveries are held. `RECEIVES_EVENT` is the same
 * rule in SQL.
 */
export function receivesEvent(
  { status, eventTypes }: { readonly status: 'active' | 'disabled' | 'removed'; readonly eventTypes: readonly string[] },
  eventType: string,
): boolean {
  return status !== 'removed' && (eventTypes.length === 0 || eventTypes.includes(eventType));
}
