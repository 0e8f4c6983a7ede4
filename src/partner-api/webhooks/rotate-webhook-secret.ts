import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ServiceError } from '../../domain/service-error.ts';
import { activateSecret, rotateSecret } from '../../webhooks/endpoints/manage-endpoint.ts';
import type { PartnerApiOptions } from '../app.ts';
import { keyedPost } from '../keyed-post.ts';
import { nullable } from '../schema-parts.ts';
import { Endpoint, EndpointParams, RotateSecretBody } from './endpoint-schemas.ts';
import { endpointToWire } from './endpoint-to-wire.ts';
import { getOwnEndpoint, managerOf } from './own-endpoint.ts';
import { sealedAnswers } from './sealed-answers.ts';

/** @see docs/spec/decisions.md#9-self-service-and-pages and docs/spec/decisions.md#7-events. */
export function rotateWebhookSecret(app: FastifyInstance, options: PartnerApiOptions): void {
  const { endpointTools } = options;
  keyedPost<Partial<Static<typeof RotateSecretBody>>, Static<typeof EndpointParams>>(app, options, {
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
    seal: sealedAnswers(endpointTools),
    async work({ caller, correlationId, params: { endpoint_id: endpointId }, body: { step = 'start' } }) {
      const { partnerId } = caller;
      const { database } = endpointTools;
      const [actor, id] = [managerOf(caller, correlationId), { partnerId, endpointId }];
      const { nextSecretSealed, isNextSecretDue } = await getOwnEndpoint(database, partnerId, endpointId);
      const isRotating = nextSecretSealed !== null && !isNextSecretDue;
      if (step === 'activate' && nextSecretSealed === null)
        throw refuse('There is no new secret to activate. Send "start" first.');
      if (step === 'start' && isRotating)
        throw refuse('There is a new secret already. Send "activate", or "replace" to give it up.');
      const secret = step === 'activate' ? null : (await rotateSecret(endpointTools, actor, id, step === 'replace')).secret;
      if (step === 'activate') await activateSecret(database, actor, id);
      return { webhook_endpoint: endpointToWire(await getOwnEndpoint(database, partnerId, endpointId)), secret };
    },
  });
}

function refuse(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { details: [{ field: 'step', code: 'not_possible', message }] });
}
