import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Database } from '../../store/database.ts';
import { listWebhookEndpoints } from '../../store/webhooks/webhook-endpoint.ts';
import { addEndpoint } from '../../webhooks/endpoints/add-endpoint.ts';
import { refuseBeside, requireAllowedUrl } from '../../webhooks/endpoints/new-endpoint-rules.ts';
import { limitPerMinute } from '../limits/minute-limit.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { Type } from '../schema-type.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { CreateEndpointBody, Endpoint } from './endpoint-schemas.ts';
import { endpointToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, managerOf } from './own-endpoint.ts';
import { IF_SECRET_IS_LOST, sealedAnswers } from './sealed-answers.ts';

/** The receiver has 15 s for the challenge. */
const DEADLINE_MS = 25_000;
/** At once, and then in each minute: each is a request to a server that the partner names. */
const CHALLENGES_PER_MINUTE = 10;

/**
 * @see docs/spec/decisions.md#9-self-service-and-pages. Addresses have the same rules as for operators.
 */
export function createWebhookEndpoint(app: FastifyInstance, options: PartnerApiOptions): void {
  const { databaseOf, endpointTools } = options;
  const limitChallenges = limitPerMinute({
    perMinute: CHALLENGES_PER_MINUTE,
    limit: 'endpoint_challenges',
    sentence: `A partner adds at most ${CHALLENGES_PER_MINUTE} endpoints at once, then ${CHALLENGES_PER_MINUTE} a minute.`,
  });
  postWithStoredAnswer<Static<typeof CreateEndpointBody>>(app, options, {
    operation: 'createWebhookEndpoint',
    path: '/v1/webhook-endpoints',
    body: CreateEndpointBody,
    answer: {
      webhook_endpoint: Endpoint,
      secret: Type.String({ description: 'The secret that verifies deliveries. Store it: no other answer shows it.' }),
    },
    isManaging: true,
    deadlineMs: DEADLINE_MS,
    seal: sealedAnswers(endpointTools, IF_SECRET_IS_LOST),
    async work({ caller, correlationId, work, body: { url, event_types: eventTypes = [] } }) {
      const { partnerId } = caller;
      const ofPartner = databaseOf(partnerId);
      const actor = managerOf(caller, correlationId);
      // Before the limit, which counts what a receiver is asked.
      const normalUrl = requireAllowedUrl(endpointTools, actor, { url });
      refuseBeside(actor, { url: normalUrl }, await listWebhookEndpoints(ofPartner.pool, partnerId));
      limitChallenges(partnerId);
      const wanted = { partnerId, url, eventTypes };
      const add = (database: Database) => addEndpoint({ ...endpointTools, database }, actor, wanted);
      return work.answer(ofPartner, add, async ({ endpointId, secret }, db) => ({
        webhook_endpoint: endpointToWire(await getOwnEndpoint(db, partnerId, endpointId)),
        secret,
      }));
    },
  });
}
