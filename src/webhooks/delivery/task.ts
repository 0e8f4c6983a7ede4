import type { Database } from '../../store/database.ts';
import { type ClaimedDelivery, releaseDeliveries } from '../../store/webhooks/delivery.ts';
import type { Ready } from './endpoint-queues.ts';
import type { Content } from './load-contents.ts';

/** A claimed delivery with its content. */
export interface Task extends Ready {
  readonly claimed: ClaimedDelivery;
  readonly content: Content;
  /** Called when its result is recorded, or when it is due for all; absent unless its creator claimed it. */
  readonly onEnd?: () => void;
}

/** Releases claimed deliveries of one endpoint that were not sent. They are due at `dueAt`, or at once. */
export async function release({ pool }: Database, tasks: readonly Task[], dueAt?: Date): Promise<void> {
  const claims = tasks.map(({ claimed }) => claimed);
  const [first] = claims;
  if (first) await releaseDeliveries(pool, first.partnerId, claims, dueAt);
  for (const { onEnd } of tasks) onEnd?.();
}
