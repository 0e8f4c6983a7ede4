import type { Actor } from '../../domain/access/role.ts';
import { type EventType, headWithoutSequence } from '../../domain/events/event.ts';
import { newId } from '../../domain/identifiers.ts';
import { isToBeRefused, type SampleFault } from '../../domain/sandbox/sample-fault.ts';
import { invalidRequest, problem, ServiceError } from '../../domain/service-error.ts';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import { receivesEvent } from '../../domain/webhooks/subscription.ts';
import { audit } from '../../operations/audit/audit.ts';
import { withRole } from '../../operations/with-role.ts';
import { countSamples } from '../../store/sandbox/sample-count.ts';
import { lockSandboxClock } from '../../store/sandbox/sandbox-clock.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { type Attempt, recordAttempts } from '../../store/webhooks/attempt.ts';
import { type ClaimedDelivery, insertClaimedDelivery } from '../../store/webhooks/delivery.ts';
import { deliveryIdOf } from '../../store/webhooks/delivery-id.ts';
import { listWebhookEndpoints, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { eventToText } from '../../wire/event-to-text.ts';
import { post, toAttempt } from '../delivery/attempt.ts';
import { settleAttempts } from '../delivery/settle-attempts.ts';
import { readVerified } from '../delivery/verified-endpoints.ts';
import { openSecrets } from '../security/endpoint-secrets.ts';
import { type EndpointSecrets, newSecret } from '../security/signature.ts';
import { type EndpointTools, endpointNotFound } from './endpoint-context.ts';

export interface WantedSample {
  readonly partnerId: string;
  /** `undefined`: every active endpoint that subscribes to the type. */
  readonly endpointId: string | undefined;
  readonly eventType: EventType;
  readonly fault: SampleFault | undefined;
  /** The data of the sample, besides its mark. */
  readonly data: object;
}

/** One sample, and the receiver's answer. */
export interface SentSample extends Pick<Attempt, 'status' | 'errorClass' | 'milliseconds' | 'isSuccess'> {
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly isExpectedToBeRefused: boolean;
}

/** The most samples a minute of a partner: each is a request to a server that the partner names. */
const SAMPLES_MAX = 60;

const UNKNOWN_TYPE = 'impact.transaction.sampled';
/** Twice what a receiver tolerates. */
const STALE_MS = 600_000;

interface Sample {
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
}

/**
 * Sends samples of an event at once, one attempt each, with the fault that the partner requests. They are in the log of deliveries. A
 * failure does not count against the endpoint: the partner's own events go on meanwhile.
 *
 * @throws ServiceError `rate_limited` beyond {@link SAMPLES_MAX}; `invalid_request` for another partner's endpoint as for none, and when
 * no endpoint subscribes to the type.
 */
export const sendSamples = withRole(
  'operator',
  async (tools: EndpointTools, actor: Actor, wanted: WantedSample): Promise<SentSample[]> => {
    const endpoints = await readVerified(tools.database, () => findEndpoints(tools, wanted));
    // Before anything is stored: a delivery that cannot be signed would have no result.
    const secretsOf = new Map(
      endpoints.map((endpoint) => [endpoint, secretsFor(wanted.fault, openSecrets(tools.secretBox, endpoint))]),
    );
    const claimedAtMs = performance.now();
    const claimed = await claim(tools, actor, { endpoints, samples: makeSamples(tools, actor, wanted), wanted });
    const sent = await Promise.all(
      [...secretsOf].map(([{ endpointId, url }, secrets]) => {
        const deliveries = claimed.filter((delivery) => delivery.endpointId === endpointId);
        return sendTo(tools, actor, { url, secrets, deliveries, claimedAtMs, wanted });
      }),
    );
    return sent.flat();
  },
);

async function findEndpoints({ database }: EndpointTools, wanted: WantedSample): Promise<WebhookEndpoint[]> {
  const { partnerId, endpointId, eventType } = wanted;
  const present = await listWebhookEndpoints(database.pool, partnerId);
  const named = present.find((endpoint) => endpoint.endpointId === endpointId);
  if (endpointId !== undefined && !named) throw endpointNotFound();
  // A sample is sent at once, never held.
  const getsSample = (endpoint: WebhookEndpoint) => endpoint.status === 'active' && receivesEvent(endpoint, eventType);
  const chosen = named ? [named] : present.filter(getsSample);
  if (chosen.length === 0) {
    const message = `You have no active webhook endpoint that receives ${eventType}. Add one, or make a disabled one active.`;
    throw invalidRequest([problem('endpoint_id', 'not_found', message)]);
  }
  return chosen;
}

/** In the order in which they are sent. */
function makeSamples({ environment, clock }: EndpointTools, { correlationId }: Actor, wanted: WantedSample): Sample[] {
  const { partnerId, fault, data } = wanted;
  const eventType = fault === 'unknown_type' ? UNKNOWN_TYPE : wanted.eventType;
  const make = (occurredAtMs: number): Sample => {
    const eventId = newId('evt');
    const head = headWithoutSequence({ partnerId, eventId, eventType, occurredAt: new Date(occurredAtMs), correlationId });
    return { eventId, eventType, body: eventToText(head, environment, { ...data, sample: true }) };
  };
  const first = make(clock());
  if (fault === 'duplicate') return [first, first];
  return fault === 'reordered' ? [make(clock() + 1_000), first] : [first];
}

interface Sending {
  readonly url: string;
  readonly secrets: EndpointSecrets;
  /** Of one endpoint, in the order in which they are sent. */
  readonly deliveries: readonly ClaimedDelivery[];
  readonly claimedAtMs: number;
  readonly wanted: WantedSample;
}

async function sendTo(tools: EndpointTools, actor: Actor, sending: Sending): Promise<SentSample[]> {
  const { url, secrets, deliveries, claimedAtMs, wanted } = sending;
  const { database, clock } = tools;
  const { partnerId, fault } = wanted;
  const signedBy = fault === 'stale' ? { ...tools, clock: () => clock() - STALE_MS } : tools;
  const sent: SentSample[] = [];
  for (const delivery of deliveries) {
    const { endpointId, deliveryId, eventId, eventType } = delivery;
    const body = Buffer.from(delivery.body as string);
    const answer = await post(signedBy, delivery, { url, secrets, correlationId: actor.correlationId, body });
    const attempt = toAttempt(delivery, answer, performance.now() - claimedAtMs);
    // Taking what is to be refused is no success either.
    if (attempt.isSuccess && !isToBeRefused(fault)) await settleAttempts(database, partnerId, [attempt]);
    else await recordOnly(tools, partnerId, attempt);
    const { status, errorClass, milliseconds, isSuccess } = attempt;
    sent.push({
      endpointId,
      deliveryId,
      eventId,
      eventType,
      status,
      errorClass,
      milliseconds,
      isSuccess,
      isExpectedToBeRefused: isToBeRefused(fault),
    });
  }
  return sent;
}

function secretsFor(fault: SampleFault | undefined, known: EndpointSecrets): EndpointSecrets {
  if (fault === 'bad_signature') return { current: newSecret() };
  return fault === 'rotation' ? { current: known.current, next: known.next ?? newSecret() } : known;
}

interface Claiming {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly samples: readonly Sample[];
  readonly wanted: WantedSample;
}

/**
 * All samples of the request, or none: one that is refused has sent nothing. The partner's row is locked meanwhile: of concurrent requests
 * none exceeds the limit.
 */
function claim({ database }: EndpointTools, actor: Actor, { endpoints, samples, wanted }: Claiming): Promise<ClaimedDelivery[]> {
  const { partnerId, fault = null } = wanted;
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const { now } = await lockSandboxClock(db, partnerId);
    if ((await countSamples(db, partnerId, now)) + endpoints.length * samples.length > SAMPLES_MAX) {
      const message = `A partner is sent at most ${SAMPLES_MAX} samples a minute. Retry after the time in Retry-After.`;
      throw new ServiceError('rate_limited', message, { limit: 'sandbox_samples', headers: { 'retry-after': '10' } });
    }
    const claimed: ClaimedDelivery[] = [];
    const all = endpoints.flatMap(({ endpointId }) => samples.map((sample) => ({ endpointId, ...sample })));
    for (const { endpointId, eventId, eventType, body } of all) {
      const deliveryId = deliveryIdOf(newId('evt'), endpointId);
      const delivery = { partnerId, deliveryId, endpointId, eventId, eventType, trigger: 'sample', body } as const;
      claimed.push(await insertClaimedDelivery(db, delivery, DELIVERY_LEASE_MS));
      const after = { endpoint_id: endpointId, event_id: eventId, fault };
      await audit(db, actor, { action: 'delivery.sample', partnerId, subjectId: deliveryId, before: null, after });
    }
    return claimed;
  });
}

async function recordOnly({ database }: EndpointTools, partnerId: string, attempt: Attempt): Promise<void> {
  const record = (db: Parameters<typeof recordAttempts>[0]) => recordAttempts(db, partnerId, [attempt]);
  await inTransaction(database, USUAL_LOCK_TIMEOUT, record);
}
