import { readConfig } from '../../src/config.ts';
import type { Actor } from '../../src/domain/access/role.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { openAuditKeys, openConfiguredSecretBox } from '../../src/service/keys/configured-keys.ts';
import { openDatabase } from '../../src/store/database.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { openGuardedAgent } from '../../src/webhooks/security/guarded-agent.ts';
import type { Installation } from '../subject/installation.ts';
import type { Partner } from '../subject/subject.ts';

const OWNER: Actor = { operatorId: 'owner', role: 'admin', correlationId: newId('corr') };
/** The most that an operator grants; nothing is refused at this rate. */
const RATE = 1_000_000;
const RATES = { writesPerSecond: RATE, lookupsPerSecond: RATE, reportsPerSecond: RATE };

/**
 * Makes partners with a key each, as the command line makes them, but without a process for each.
 *
 * @param urlOf The address of a partner's endpoint, which gets every event; absent for partners without one.
 */
export async function makeCrowd(
  { subject, server }: Pick<Installation, 'subject' | 'server'>,
  count: number,
  urlOf?: (number: number) => string,
): Promise<Partner[]> {
  const config = readConfig({ DATA_DIR: subject.options.folder });
  const { environment } = config;
  await using cleanUp = new AsyncDisposableStack();
  const { databaseUrl } = subject;
  const { isDistributed } = server;
  const database = { ...openDatabase({ databaseUrl, poolSize: 2, auditKeys: () => openAuditKeys(config) }), isDistributed };
  cleanUp.defer(() => database.close());
  const client = openGuardedAgent({ allowInsecure: true });
  cleanUp.defer(() => client.close());
  const secretBox = openConfiguredSecretBox(config);
  const tools = { database, environment, client, secretBox, allowInsecure: true, clock: Date.now };
  const crowd: Partner[] = [];
  for (let number = 1; number <= count; number++) {
    const { partnerId } = await createPartner(database, OWNER, 'Bench', RATES);
    const terms = { name: 'bench', permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
    const { apiKey } = await issueApiKey(database, OWNER, { environment, partnerId, ...terms });
    if (urlOf) await addEndpoint(tools, OWNER, { partnerId, url: urlOf(number), eventTypes: [] });
    crowd.push({ partnerId, apiKey });
  }
  return crowd;
}
