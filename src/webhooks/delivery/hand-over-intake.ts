import { LRUCache } from 'lru-cache';
import type { Database } from '../../store/database.ts';
import { type ClaimedDelivery, releaseDeliveries } from '../../store/webhooks/delivery.ts';
import { advanceDueFrom } from '../../store/webhooks/due-endpoint.ts';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import type { EndpointSecrets } from '../security/signature.ts';
import { COMMITTED_WITHIN_MS } from './claim-due.ts';
import type { EndpointQueues, Ready } from './endpoint-queues.ts';
import { HandOvers } from './hand-overs.ts';
import type { Content } from './load-contents.ts';
import type { HandOverIntake } from './relay-together.ts';
import type { VerifiedEndpoints } from './verified-endpoints.ts';

export interface Recipient {
  readonly url: string;
  readonly secrets: EndpointSecrets;
}

/** A claimed delivery with its content. */
export interface Task extends Ready {
  readonly claimed: ClaimedDelivery;
  readonly content: Content;
  /** Called when its result is recorded, or when it is due for all; absent unless its creator claimed it. */
  readonly onEnd?: () => void;
}

const RECIPIENTS_MAX = 10_000;
const REMEMBERED_MS = 60_000;

/** Decrypting a secret costs as much as a signature: it is repeated only when its endpoint has changed. */
export function rememberRecipients(
  openSecrets: (endpoint: WebhookEndpoint) => EndpointSecrets,
): (endpoint: WebhookEndpoint) => Recipient {
  const known = new LRUCache<string, { readonly of: string; readonly recipient: Recipient }>({
    max: RECIPIENTS_MAX,
    ttl: REMEMBERED_MS,
  });
  return (endpoint) => {
    const { endpointId, url, secretSealed, nextSecretSealed, isNextSecretDue } = endpoint;
    const of = `${url} ${secretSealed} ${nextSecretSealed} ${isNextSecretDue}`;
    const remembered = known.get(endpointId);
    if (remembered?.of === of) return remembered.recipient;
    const recipient = { url, secrets: openSecrets(endpoint) };
    known.set(endpointId, { of, recipient });
    return recipient;
  };
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

/** Releases claimed deliveries of one endpoint that were not sent. They are due at `dueAt`, or at once. */
export async function release({ pool }: Database, tasks: readonly Task[], dueAt?: Date): Promise<void> {
  const claims = tasks.map(({ claimed }) => claimed);
  const [first] = claims;
  if (first) await releaseDeliveries(pool, first.partnerId, claims, dueAt);
  for (const { onEnd } of tasks) onEnd?.();
}
