import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Database, Queryable } from '../../store/database.ts';
import { activateSecret, rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { nullable } from '../schema-parts.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { Endpoint, EndpointParams, RotateSecretBody } from './endpoint-schemas.ts';
import { endpointToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, managerOf } from './own-endpoint.ts';
import { IF_SECRET_IS_LOST, sealedAnswers } from './sealed-answers.ts';

/** @see docs/spec/decisions.md#9-self-service-and-pages and docs/spec/decisions.md#7-events. */
export function rotateWebhookSecret(app: FastifyInstance, options: PartnerApiOptions): void {
  const { databaseOf, endpointTools } = options;
  postWithStoredAnswer<Partial<Static<typeof RotateSecretBody>>, Static<typeof EndpointParams>>(app, options, {
    operation: 'rotateWebhookSecret',
    path: '/v1/webhook-endpoints/:endpoint_id/rotate-secret',
    params: EndpointParams,
    body: RotateSecretBody,
    isBodyOptional: true,
    answer: {
      webhook_endpoint: Endpoint,
      secret: nullable({}, 'The new secret. Store it: no other answer shows it. `null` after `activate`.'),
    },
    isManaging: true,
    seal: sealedAnswers(endpointTools, IF_SECRET_IS_LOST),
    async work({ caller, correlationId, work, params: { endpoint_id: endpointId }, body: { step = 'start' } }) {
      const { partnerId } = caller;
      const database = databaseOf(partnerId);
      const [actor, id] = [managerOf(caller, correlationId), { partnerId, endpointId }];
      await getOwnEndpoint(database.pool, partnerId, endpointId);
      const present = async (secret: string | null, db: Queryable) => ({
        webhook_endpoint: endpointToWire(await getOwnEndpoint(db, partnerId, endpointId)),
        secret,
      });
      if (step === 'activate')
        return work.answer(
          database,
          (own) => activateSecret(own, actor, id),
          (_, db) => present(null, db),
        );
      const rotate = (own: Database) => rotateSecret({ ...endpointTools, database: own }, actor, id, step === 'replace');
      return work.answer(database, rotate, ({ secret }, db) => present(secret, db));
    },
  });
}
