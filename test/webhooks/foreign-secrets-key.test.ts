/** A shell, or a service, with another SECRETS_KEY than the one that sealed the secrets of endpoints. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { openConfiguredSecretBox } from '../../src/service/keys/configured-keys.ts';
import { findWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { openSecrets } from '../../src/webhooks/security/endpoint-secrets.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { spawnService, testService, withPartners } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);
const folder = temporaryFolder('foreign-secrets-key');
const OWN = WEBHOOK_ENV.SECRETS_KEY;
const NEW = `new:${Buffer.alloc(32, 8).toString('base64')}`;
const NAMESAKE = `test:${Buffer.alloc(32, 9).toString('base64')}`;
const { run } = commandLine({
  WEBHOOK_ALLOW_INSECURE: 'true',
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: folder,
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});

async function endpointOf(): Promise<{ partnerId: string; endpointId: string; options: string[] }> {
  const { partner, endpointId } = await newEndpoint(service, tools);
  const { partnerId } = partner;
  return { partnerId, endpointId, options: ['--partner', partnerId, '--endpoint', endpointId] };
}

const stored = async ({ partnerId, endpointId }: { partnerId: string; endpointId: string }) => {
  const endpoint = await findWebhookEndpoint(database.pool, partnerId, endpointId);
  assert.ok(endpoint);
  return endpoint;
};

describe('a key that opens none of the stored secrets seals no other', HANG_LIMIT, () => {
  test('of another name, of the same name, and none: nothing is changed, and no key is made', async () => {
    const endpoint = await endpointOf();
    const receiver = await WebhookReceiver.open();
    const commands = [
      ['endpoint', 'rotate-secret', ...endpoint.options],
      ['endpoint', 'add', '--partner', (await service.newPartner()).partner.partnerId, '--url', receiver.url],
    ];
    for (const SECRETS_KEY of [NEW, NAMESAKE, ''])
      for (const words of commands) {
        const { code, stdout, stderr } = await run(words, { SECRETS_KEY });
        assert.deepEqual([code, stdout], [1, ''], words.join(' '));
        assert.match(stderr, /SECRETS_KEY/);
        assert.match(stderr, /Set the key that was kept/);
        if (SECRETS_KEY !== '') assert.match(stderr, /Nothing was changed\. .*--key-is-lost/);
      }
    assert.equal((await stored(endpoint)).nextSecretSealed, null);
    assert.equal(receiver.challenges.length, 0);
    assert.ok(!existsSync(join(folder, 'secrets.key')));
  });

  test('--activate needs no key', async () => {
    const endpoint = await endpointOf();
    assert.equal((await run(['endpoint', 'rotate-secret', ...endpoint.options], { SECRETS_KEY: OWN })).code, 0);
    const { code, stderr } = await run(['endpoint', 'rotate-secret', ...endpoint.options, '--activate', '--yes'], {
      SECRETS_KEY: NEW,
    });
    assert.equal(code, 0, stderr);
    assert.ok(!existsSync(join(folder, 'secrets.key')));
  });

  test('the old key behind the new one is enough: that is how a key is changed', async () => {
    const endpoint = await endpointOf();
    const { code, stderr } = await run(['endpoint', 'rotate-secret', ...endpoint.options], { SECRETS_KEY: `${NEW},${OWN}` });
    assert.equal(code, 0, stderr);
    const box = openConfiguredSecretBox({ secretsKey: `${NEW},${OWN}`, dataDirectory: folder });
    assert.ok(openSecrets(box, await stored(endpoint)).next);
  });

  test('with --key-is-lost every secret is replaced under the new key', async () => {
    const endpoint = await endpointOf();
    const SECRETS_KEY = `later:${Buffer.alloc(32, 11).toString('base64')}`;
    const rotated = await run(['endpoint', 'rotate-secret', ...endpoint.options, '--key-is-lost', '--json'], { SECRETS_KEY });
    assert.equal(rotated.code, 0, rotated.stderr);
    // From now on one of them opens, and the new key is the key of this database too.
    const second = await endpointOf();
    assert.equal((await run(['endpoint', 'rotate-secret', ...second.options], { SECRETS_KEY })).code, 0);
    const activated = await run(['endpoint', 'rotate-secret', ...endpoint.options, '--activate', '--yes'], { SECRETS_KEY });
    assert.equal(activated.code, 0, activated.stderr);
    const box = openConfiguredSecretBox({ secretsKey: SECRETS_KEY, dataDirectory: folder });
    assert.equal(openSecrets(box, await stored(endpoint)).current, JSON.parse(rotated.stdout).secret);
  });
});

test('the first secret of a database may have any key', HANG_LIMIT, async () => {
  const other = await testService({ env: WEBHOOK_ENV });
  const { partnerId } = (await other.newPartner()).partner;
  const receiver = await WebhookReceiver.open();
  const { code, stderr } = await run(['endpoint', 'add', '--partner', partnerId, '--url', receiver.url], {
    DATABASE_URL: other.databaseUrl,
    AUDIT_KEY: other.database.auditKeys().map(writeNamedKey).join(','),
    SECRETS_KEY: NEW,
  });
  assert.equal(code, 0, stderr);
});

test(
  'a service with another key holds the deliveries and counts within seconds that it cannot sign; with the kept key they are sent',
  HANG_LIMIT,
  async () => {
    const held = await testService({ roles: [], env: WEBHOOK_ENV });
    const operationsPort = await freePort();
    const open = (SECRETS_KEY: string) =>
      spawnService(held.databaseUrl, { ...WEBHOOK_ENV, SECRETS_KEY, OPERATIONS_PORT: `${operationsPort}` });
    const metrics = async () => (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
    const delivered = /^partner_impact_delivery_attempts_total\{result="delivered"\} (\d+)$/m;

    const foreign = await open(NEW);
    assert.match(await metrics(), /^partner_impact_unreadable_secrets_total 0$/m);
    const { key, receiver } = await newEndpoint(withPartners(foreign.baseUrl, held.database), endpointTools(held.database));
    const { status, body } = await new Client(foreign.baseUrl, key.apiKey).confirm();
    assert.equal(status, 201);
    await waitFor('secret counted', async () => /^partner_impact_unreadable_secrets_total [1-9]\d*$/m.test(await metrics()));
    assert.equal(delivered.exec(await metrics())?.[1], '0');
    assert.deepEqual(receiver.arrived, []);
    assert.equal(await foreign.end('SIGTERM'), 0);

    await open(`${NEW},${OWN}`);
    await waitFor('event at the receiver', () =>
      receiver.arrived.some((arrived) => arrived.body.includes(body.contribution.transaction_id)),
    );
    await waitFor('attempt counted', async () => Number(delivered.exec(await metrics())?.[1]) > 0);
    assert.match(await metrics(), /^partner_impact_unreadable_secrets_total 0$/m);
  },
);
