import { randomBytes } from 'node:crypto';
import type { Dispatcher as HttpClient } from 'undici';
import type { Environment } from '../domain/api-key.ts';
import { EVENT_TYPES, VERIFICATION_TYPE } from '../domain/event.ts';
import { newId } from '../domain/identifiers.ts';
import { ServiceError } from '../domain/service-error.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { dropDeliveries, holdDeliveries, releaseDeliveries } from '../store/delivery.ts';
import { findPartner } from '../store/partner.ts';
import {
  type EndpointHealth,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  lockEventCounter,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '../store/webhook-endpoint.ts';
import { eventToText } from '../wire/event-to-text.ts';
import { judgeEndpointUrl } from './address-guard.ts';
import type { SecretBox } from './secret-box.ts';
import { send } from './send.ts';
import { newSecret, signAttempt } from './signature.ts';

/** What the changes of endpoints need beside the database. */
export interface EndpointTools {
  readonly database: Database;
  readonly environment: Environment;
  readonly client: HttpClient;
  readonly secretBox: SecretBox;
  /** Plain http and private addresses, for development only. */
  readonly allowInsecure: boolean;
}

export interface NewEndpoint {
  readonly partnerId: string;
  readonly url: string;
  /** Empty: every kind. */
  readonly eventTypes: readonly string[];
}

const ENDPOINTS_MAX = 5;
const LOCK_TIMEOUT_MS = 4_000;
const ROTATION_OVERLAP_MS = 24 * 3_600_000;

/**
 * Adds an endpoint that has answered a signed challenge.
 *
 * @returns Its id, and its secret, which is shown this once.
 * @throws ServiceError `invalid_request` for an unknown partner, an address that nobody may be sent to, an unknown kind, a sixth
 * endpoint, and a receiver that does not answer the challenge; nothing is stored then.
 */
export async function addEndpoint(
  tools: EndpointTools,
  { partnerId, url, eventTypes }: NewEndpoint,
): Promise<{ endpointId: string; secret: string; url: string }> {
  const { database, secretBox, allowInsecure } = tools;
  if (!(await findPartner(database.pool, partnerId)))
    throw refusal(`There is no partner ${partnerId}. \`partner list\` shows all.`);
  refuseUnknownTypes(eventTypes);
  const verdict = judgeEndpointUrl(url, { allowInsecure });
  if (verdict.status === 'refused') throw refusal(verdict.sentence);
  const endpoint = { partnerId, endpointId: newId('wep'), url: verdict.url, eventTypes };
  const secret = newSecret();
  await challenge(tools, { ...endpoint, secret });
  await inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await lockEventCounter(db, partnerId);
    const present = await listWebhookEndpoints(db, partnerId);
    if (present.length >= ENDPOINTS_MAX)
      throw refusal(`The partner has ${ENDPOINTS_MAX} endpoints, which is the most. Remove one first.`);
    await insertWebhookEndpoint(db, { ...endpoint, secretSealed: secretBox.seal(endpoint.endpointId, secret) });
  });
  return { endpointId: endpoint.endpointId, secret, url: endpoint.url };
}

function refuseUnknownTypes(eventTypes: readonly string[]): void {
  const unknown = eventTypes.filter((type) => !(EVENT_TYPES as readonly string[]).includes(type));
  if (unknown.length > 0) throw refusal(`There is no event kind ${unknown.join(', ')}; there are ${EVENT_TYPES.join(', ')}.`);
}

/** A signed POST with a random text, which the receiver has to send back. */
async function challenge(
  { client, environment }: EndpointTools,
  { partnerId, url, secret }: { partnerId: string; url: string; secret: string },
): Promise<void> {
  const [eventId, challengeText] = [newId('evt'), randomBytes(24).toString('base64url')];
  const head = {
    partnerId,
    eventId,
    eventType: VERIFICATION_TYPE,
    sequence: null,
    occurredAt: new Date(),
    correlationId: eventId,
  };
  const body = Buffer.from(eventToText(head, environment, { challenge: challengeText }));
  const headers = signAttempt(
    { current: secret },
    {
      eventId,
      eventType: VERIFICATION_TYPE,
      deliveryId: newId('dlv'),
      attemptNumber: 1,
      correlationId: eventId,
      sentAtSeconds: Math.floor(Date.now() / 1_000),
      body,
    },
  );
  const answer = await send(client, { url, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body });
  const said = answer.status === null ? `did not answer (${answer.errorClass})` : `answered ${answer.status}`;
  if (answer.status === null || answer.status < 200 || answer.status >= 300)
    throw refusal(`The receiver ${said}; it has to answer the challenge with 2xx. Nothing was stored.`);
  if (readChallenge(answer.excerpt) !== challengeText)
    throw refusal('The receiver did not send the challenge back: it has to answer {"challenge": …} with the text it got.');
}

function readChallenge(text: string | null): unknown {
  try {
    return (JSON.parse(text ?? '') as { challenge?: unknown } | null)?.challenge;
  } catch {
    return undefined;
  }
}

/** @throws ServiceError `invalid_request` when there is none. */
export async function getEndpoint(
  { pool }: Database,
  partnerId: string,
  endpointId: string,
): Promise<WebhookEndpoint & EndpointHealth> {
  const endpoint = await findWebhookEndpoint(pool, partnerId, endpointId);
  if (!endpoint) throw refusal(`The partner ${partnerId} has no endpoint ${endpointId}. \`endpoint list\` shows all.`);
  return endpoint;
}

/** Events that were held meanwhile are sent. */
export async function enableEndpoint(database: Database, partnerId: string, endpointId: string): Promise<WebhookEndpoint> {
  return change(database, partnerId, endpointId, async (endpoint, db) => {
    await releaseDeliveries(db, partnerId, endpointId);
    return { ...endpoint, status: 'active', statusReason: null };
  });
}

/** Its events are held from then on, until it is enabled. */
export async function disableEndpoint(
  database: Database,
  partnerId: string,
  endpointId: string,
  reason: string,
): Promise<WebhookEndpoint> {
  return change(database, partnerId, endpointId, async (endpoint, db) => {
    await holdDeliveries(db, partnerId, endpointId);
    return { ...endpoint, status: 'disabled', statusReason: reason };
  });
}

/** For good; what waits for it is dropped. */
export async function removeEndpoint(database: Database, partnerId: string, endpointId: string): Promise<WebhookEndpoint> {
  return change(database, partnerId, endpointId, async (endpoint, db) => {
    await dropDeliveries(db, partnerId, endpointId);
    return { ...endpoint, status: 'removed', statusReason: null, nextSecretSealed: null, nextSecretFrom: null };
  });
}

/** Which kinds it gets from then on. */
export async function updateEventTypes(
  database: Database,
  partnerId: string,
  endpointId: string,
  eventTypes: readonly string[],
): Promise<WebhookEndpoint> {
  refuseUnknownTypes(eventTypes);
  return change(database, partnerId, endpointId, async (endpoint) => ({ ...endpoint, eventTypes }));
}

/**
 * Makes a second secret. Until it is activated, or the overlap of 24 hours ends, the old one signs as before and the new one beside it.
 *
 * @returns The new secret, shown this once.
 */
export async function rotateSecret(
  { database, secretBox }: EndpointTools,
  partnerId: string,
  endpointId: string,
): Promise<{ secret: string; from: Date }> {
  const secret = newSecret();
  const from = new Date(Date.now() + ROTATION_OVERLAP_MS);
  await change(database, partnerId, endpointId, async (endpoint) => ({
    ...endpoint,
    nextSecretSealed: secretBox.seal(endpointId, secret),
    nextSecretFrom: from,
  }));
  return { secret, from };
}

/** From now on the new secret is the only one. */
export async function activateSecret(database: Database, partnerId: string, endpointId: string): Promise<WebhookEndpoint> {
  return change(database, partnerId, endpointId, async (endpoint) => {
    if (endpoint.nextSecretSealed === null)
      throw refusal('No new secret waits to be activated. Make one: `endpoint rotate-secret`.');
    return { ...endpoint, secretSealed: endpoint.nextSecretSealed, nextSecretSealed: null, nextSecretFrom: null };
  });
}

type Change = (endpoint: WebhookEndpoint, db: Parameters<Parameters<typeof inTransaction>[2]>[0]) => Promise<WebhookEndpoint>;

/** No event of the partner is numbered, and no delivery made, while an endpoint changes. */
async function change(database: Database, partnerId: string, endpointId: string, make: Change): Promise<WebhookEndpoint> {
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await lockEventCounter(db, partnerId);
    const endpoint = await findWebhookEndpoint(db, partnerId, endpointId);
    if (!endpoint) throw refusal(`The partner ${partnerId} has no endpoint ${endpointId}. \`endpoint list\` shows all.`);
    const changed = await make(endpoint, db);
    await updateWebhookEndpoint(db, changed);
    return changed;
  });
}

function refusal(sentence: string): ServiceError {
  return new ServiceError('invalid_request', sentence);
}
