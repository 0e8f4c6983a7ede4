import { listSecondFactorsByKey } from '../../store/access/operator-password.ts';
import type { Queryable } from '../../store/database.ts';
import { listSecretsByKey, listWebhookEndpoints, type SecretsOfKey } from '../../store/webhooks/webhook-endpoint.ts';
import { endOverlap, listUnreadableSecrets } from '../security/endpoint-secrets.ts';
import type { SecretBox } from '../security/secret-box.ts';

/**
 * Before a shell seals a secret: under a key that the service does not have, all deliveries of the endpoint would wait. One stored secret
 * that opens is enough: whoever changes a key, or has lost one of several, replaces the secrets one after another.
 *
 * @param openBox Called only where there are secrets; throws where there is no key.
 * @throws Error When the box opens no secret of an endpoint and no second factor of an operator, and there are some.
 */
export async function requireKeyOfSecrets(db: Queryable, partnerId: string, openBox: () => SecretBox): Promise<void> {
  // Mostly enough, and read from one worker of a distributed database.
  const own = await listOfPartner(db, partnerId);
  if (listUnreadableSecrets(own, openBox).length < own.length) return;
  const all = [...(await listSecretsByKey(db)), ...(await listSecondFactorsByKey(db))];
  const unreadable = listUnreadableSecrets(all, openBox);
  const [first] = unreadable;
  if (first === undefined || unreadable.length < all.length) return;
  throw new Error(
    `SECRETS_KEY is not the key of this database: it opens none of its secrets. ${first.error.message} ` +
      'Set the key that was kept when the service was set up. Nothing was changed. If that key is lost and the service has the new one, ' +
      'repeat the command with --key-is-lost.',
  );
}

async function listOfPartner(db: Queryable, partnerId: string): Promise<SecretsOfKey[]> {
  return (await listWebhookEndpoints(db, partnerId)).map((endpoint) => {
    const { endpointId, secretSealed } = endOverlap(endpoint);
    return { ownerCount: 1, ownerId: endpointId, sealed: secretSealed };
  });
}
