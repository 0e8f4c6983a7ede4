import { randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/access/role.ts';
import { EVENT_TYPES, headWithoutSequence, VERIFICATION_TYPE } from '../../domain/events/event.ts';
import { newId } from '../../domain/identifiers.ts';
import { invalidRequest, problem, recordNotFound, ServiceError } from '../../domain/service-error.ts';
import { audit } from '../../operations/audit/audit.ts';
import { endpointRecord } from '../../operations/audit/authorising-records.ts';
import { withRole } from '../../operations/with-role.ts';
import { findPartner } from '../../store/access/partner.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { insertEventCounter, lockEventCounter } from '../../store/events/event.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { insertWebhookEndpoint, listWebhookEndpoints, untilFewerAdded } from '../../store/webhooks/webhook-endpoint.ts';
import { eventToText } from '../../wire/event-to-text.ts';
import { isSuccess, post } from '../delivery/attempt.ts';
import { type Answer, describeOutcome } from '../delivery/send.ts';
import { newSecret } from '../security/signature.ts';
import { aboutEndpoint, type EndpointTools, refuseValue } from './endpoint-context.ts';
import { refuseBeside, requireAllowedUrl } from './new-endpoint-rules.ts';

export interface NewEndpoint {
  readonly partnerId: string;
  readonly url: string;
  /** Empty: every event type. */
  readonly eventTypes: readonly string[];
  /** A further port of the address that an operator allows. */
  readonly allowedPort?: number | undefined;
}

/**
 * When so many were added in 24 hours, by the partner or by operators, the partner adds no further one: the row of a removed endpoint
 * stays, and what reads the partner's endpoints reads it too.
 */
const ADDITIONS_PER_DAY = 200;

/**
 * Adds an endpoint that has answered a signed challenge.
 *
 * @returns Its id, and its secret, which is shown once.
 * @throws ServiceError `forbidden`; `invalid_request` for an unknown partner, a forbidden address, an unknown event type, a sixth
 * endpoint, a second one at the same address, and a receiver that does not answer the challenge; `rate_limited` for a partner that has
 * added too many in a day. Nothing is stored then.
 */
export const addEndpoint = withRole(
  'operator',
  async (
    tools: EndpointTools,
    actor: Actor,
    { partnerId, url, eventTypes, allowedPort }: NewEndpoint,
  ): Promise<{ endpointId: string; secret: string; url: string }> => {
    const { database, secretBox } = tools;
    if (!(await findPartner(database.pool, partnerId)))
      throw recordNotFound('partner_id', `There is no partner ${partnerId}. \`partner list\` shows all.`);
    refuseUnknownTypes(eventTypes);
    const endpoint = {
      partnerId,
      endpointId: newId('wep'),
      url: requireAllowedUrl(tools, actor, { url, allowedPort }),
      eventTypes,
    };
    const secret = newSecret();
    // Checked first, so that no server is contacted for an endpoint that will be refused.
    refuseBeside(actor, endpoint, await listWebhookEndpoints(database.pool, partnerId));
    await refuseBeyondDay(database.pool, actor, partnerId);
    await challenge(tools, { ...endpoint, secret });
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      // A partner of an earlier release may have no counter yet, and then two transactions at once would lock nothing.
      await insertEventCounter(db, partnerId);
      await lockEventCounter(db, partnerId);
      refuseBeside(actor, endpoint, await listWebhookEndpoints(db, partnerId));
      await refuseBeyondDay(db, actor, partnerId);
      const inserted = await insertWebhookEndpoint(db, {
        ...endpoint,
        secretSealed: secretBox.seal(endpoint.endpointId, secret),
      });
      const after = endpointRecord(inserted);
      const allowed = allowedPort === undefined ? null : { allowed_port: allowedPort };
      await audit(db, actor, aboutEndpoint(endpoint, { action: 'endpoint.add', before: allowed, after }));
      return { endpointId: endpoint.endpointId, secret, url: endpoint.url };
    });
  },
);

/** Operators add as many as they want. Theirs count too. */
async function refuseBeyondDay(db: Queryable, { isPartner }: Actor, partnerId: string): Promise<void> {
  const leftSeconds = isPartner ? await untilFewerAdded(db, partnerId, ADDITIONS_PER_DAY) : 0;
  if (leftSeconds <= 0) return;
  const message = `Within 24 hours ${ADDITIONS_PER_DAY} endpoints were added for the partner, by itself or by operators. Retry after the time in Retry-After.`;
  const headers = { 'retry-after': String(Math.ceil(leftSeconds)) };
  throw new ServiceError('rate_limited', message, { limit: 'endpoint_additions', headers });
}

export function refuseUnknownTypes(eventTypes: readonly string[]): void {
  const unknown = eventTypes.filter((type) => !(EVENT_TYPES as readonly string[]).includes(type));
  if (unknown.length > 0)
    throw refuseValue('event_types', `There is no event type ${unknown.join(', ')}. The types are ${EVENT_TYPES.join(', ')}.`);
}

/** A signed POST with a random text, which the receiver must return. */
async function challenge(
  tools: EndpointTools,
  { partnerId, url, secret }: { partnerId: string; url: string; secret: string },
): Promise<void> {
  const [eventId, challengeText] = [newId('evt'), randomBytes(24).toString('base64url')];
  const head = headWithoutSequence({
    partnerId,
    eventId,
    eventType: VERIFICATION_TYPE,
    occurredAt: await readClock(tools.database.pool),
    correlationId: eventId,
  });
  const body = Buffer.from(eventToText(head, tools.environment, { challenge: challengeText }));
  const delivery = { eventId, eventType: VERIFICATION_TYPE, deliveryId: newId('dlv'), lease: 1n };
  const answer = await post(tools, delivery, { url, secrets: { current: secret }, correlationId: eventId, body });
  if (!isSuccess(answer))
    throw refuseUrl(
      `The receiver must answer the challenge with 2xx: ${describeOutcome(answer)}.${stepAfter(answer)} Nothing was stored.`,
    );
  if (readChallenge(answer.excerpt) !== challengeText)
    throw refuseUrl(
      'The receiver did not return the challenge: it must answer {"challenge": "…"} with the text of data.challenge. Nothing was stored.',
    );
}

function stepAfter({ status, errorClass }: Answer): string {
  if (errorClass === 'connect')
    return ' Start the receiver, then repeat this; `npx partner-impact-sdk webhook listen --port PORT` of the package for partners is a development receiver.';
  return status === 401 || status === 403
    ? ' Let the receiver answer the challenge without verifying its signature: the service gives the secret only afterwards.'
    : '';
}

/** The address is well formed, and its receiver does not do what it must. */
function refuseUrl(message: string): ServiceError {
  return invalidRequest([problem('url', 'not_possible', message)]);
}

function readChallenge(text: string | null): unknown {
  try {
    return (JSON.parse(text ?? '') as { challenge?: unknown } | null)?.challenge;
  } catch {
    return undefined;
  }
}
