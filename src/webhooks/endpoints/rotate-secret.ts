import type { Actor } from '../../domain/access/role.ts';
import { invalidRequest, problem, type ServiceError } from '../../domain/service-error.ts';
import { withRole } from '../../operations/with-role.ts';
import { readClock } from '../../store/clock.ts';
import type { Database } from '../../store/database.ts';
import type { EndpointId, WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { endOverlap } from '../security/endpoint-secrets.ts';
import { newSecret } from '../security/signature.ts';
import { changeEndpoint, changeEndpointAnd, type EndpointChange } from './change-endpoint.ts';
import { type EndpointTools, refusal } from './endpoint-context.ts';

const ROTATION_OVERLAP_MS = 24 * 3_600_000;

/**
 * Creates a second secret. Until it is activated, or the overlap of 24 hours ends, the old one signs as before and the new one beside it.
 *
 * @param isReplacing Whether an existing second secret, which a receiver may already use, is replaced.
 * @returns The new secret, shown once.
 * @throws ServiceError `invalid_request` when there is a second secret and it is not to be replaced.
 */
export const rotateSecret = withRole(
  'operator',
  async (
    { database, secretBox }: Pick<EndpointTools, 'database' | 'secretBox'>,
    actor: Actor,
    id: EndpointId,
    isReplacing = false,
  ): Promise<{ secret: string; from: Date }> => {
    const secret = newSecret();
    const make: EndpointChange = async (endpoint, db) => {
      const from = new Date((await readClock(db)).getTime() + ROTATION_OVERLAP_MS);
      // The secret that an earlier rotation ended must not sign again.
      const ended = endOverlap(endpoint);
      if (ended.nextSecretFrom !== null && !isReplacing) throw alreadyRotating(actor, ended.nextSecretFrom);
      return { ...ended, nextSecretSealed: secretBox.seal(id.endpointId, secret), nextSecretFrom: from, isNextSecretDue: false };
    };
    const tell = ({ nextSecretFrom }: WebhookEndpoint) => ({ secret, from: nextSecretFrom as Date });
    return changeEndpointAnd(database, actor, { ...id, action: 'endpoint.rotate-secret' }, { make, tell });
  },
);

function alreadyRotating({ isPartner }: Actor, from: Date): ServiceError {
  return isPartner
    ? refuseStep(
        'There is a new secret already. Send {"step":"activate"} to make it the only one, or {"step":"replace"} to replace it.',
      )
    : refusal(
        `There is already a new secret, which becomes the only one at ${from.toISOString()}. Activate it with \`endpoint rotate-secret --activate\`, or replace it with \`endpoint rotate-secret --replace\`.`,
      );
}

function nothingToActivate({ isPartner }: Actor): ServiceError {
  return isPartner
    ? refuseStep('There is no new secret to activate. Send {"step":"start"} first.')
    : refusal('There is no new secret to activate. Create one: `endpoint rotate-secret`.');
}

function refuseStep(message: string): ServiceError {
  return invalidRequest([problem('step', 'not_possible', message)]);
}

/** From now on the new secret is the only one. */
export const activateSecret = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId): Promise<WebhookEndpoint> => {
    return changeEndpoint(database, actor, { ...id, action: 'endpoint.activate-secret' }, async (endpoint) => {
      if (endpoint.nextSecretSealed === null) throw nothingToActivate(actor);
      return { ...endpoint, secretSealed: endpoint.nextSecretSealed, nextSecretSealed: null, nextSecretFrom: null };
    });
  },
);
