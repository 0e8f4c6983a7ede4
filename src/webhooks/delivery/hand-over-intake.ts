import type { Database } from '../../store/database.ts';
import type { ClaimedDelivery } from '../../store/webhooks/delivery.ts';
import { advanceDueFrom, type DueEndpoint } from '../../store/webhooks/due-endpoint.ts';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { COMMITTED_WITHIN_MS } from './claim-due.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import { HandOvers } from './hand-overs.ts';
import type { Content } from './load-contents.ts';
import type { Recipient } from './recipient.ts';
import { release, type Task } from './task.ts';
import type { VerifiedEndpoints } from './verified-endpoints.ts';

/** A delivery that its creator has claimed. */
export interface Handed {
  readonly claimed: ClaimedDelivery;
  readonly content: Content;
  /** `performance.now()`: its lease began no earlier. */
  readonly claimedAtMs: number;
  /** Called when its result is recorded, or when it is due for all. */
  readonly onEnd: () => void;
}

/** The dispatcher of the same process: it sends new deliveries without looking for them. */
export interface HandOverIntake {
  readonly handOvers: HandOvers;
  /** The endpoints that match the audit. */
  keepVerified<Endpoint extends DueEndpoint>(endpoints: readonly Endpoint[]): Promise<Endpoint[]>;
  /** How many new deliveries of the endpoint it takes. */
  roomForNew(endpoint: DueEndpoint): number;
  /**
   * @param isAll Whether there are no further ones, which are due for all.
   */
  take(endpoint: DueEndpoint, handed: readonly Handed[], isAll: boolean): void;
}

interface IntakeTools {
  readonly verifiedEndpoints: VerifiedEndpoints;
  recipientOf(endpoint: WebhookEndpoint): Recipient;
  readonly queues: EndpointQueues<Task, Recipient>;
  readonly signal: AbortSignal;
  trackWrite(write: Promise<unknown>): void;
}

/** Takes deliveries that are claimed at their creation. */
export function openHandOverIntake(
  { database, onError }: { readonly database: Database; readonly onError: (error: unknown) => void },
  { queues, verifiedEndpoints, recipientOf, signal, trackWrite }: IntakeTools,
): HandOverIntake & { advance(): Promise<void> } {
  let [hasTaken, advancedAtMs] = [false, 0];
  const canBeSigned = (endpoint: WebhookEndpoint) => {
    try {
      return recipientOf(endpoint) !== undefined;
    } catch {
      // Reported when the dispatcher claims deliveries of the endpoint.
      return false;
    }
  };
  return {
    handOvers: new HandOvers(),
    keepVerified: verifiedEndpoints.keepVerified,
    roomForNew: (endpoint) => (signal.aborted || !canBeSigned(endpoint) ? 0 : queues.roomForNew(endpoint)),
    take(endpoint, tasks, isAll) {
      hasTaken = true;
      if (signal.aborted) trackWrite(release(database, tasks).catch(onError));
      else queues.add(endpoint, recipientOf(endpoint), { tasks, isAsking: !isAll });
    },
    /** Called after deliveries were taken, now and then: records from when on the next ones may be due. */
    async advance() {
      if (!hasTaken || performance.now() - advancedAtMs < COMMITTED_WITHIN_MS) return;
      [hasTaken, advancedAtMs] = [false, performance.now()];
      await advanceDueFrom(database.pool, COMMITTED_WITHIN_MS);
    },
  };
}
