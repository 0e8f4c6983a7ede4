import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

const KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** Whether events may go to this machine, and whether they may go anywhere inside. */
function mayGo(env: Record<string, string>): [thisMachine: boolean, inside: boolean] {
  const { allowsWebhooksToThisMachine, allowsInsecureWebhooks } = readConfig(env);
  return [allowsWebhooksToThisMachine, allowsInsecureWebhooks];
}

test('decisions, section 7: events may go to this machine where a sandbox has nothing set', () => {
  for (const env of [
    {},
    { HOST: '127.0.0.1' },
    { HOST: '::1' },
    { HOST: 'localhost' },
    { WEBHOOK_ALLOW_INSECURE: '', DATABASE_URL: '' },
  ])
    assert.deepEqual(mayGo(env), [true, false], JSON.stringify(env));
});

test('they may not where anything says that others reach the service, or that it is none to try', () => {
  for (const env of [
    { SERVICE_ENVIRONMENT: 'production', SECRETS_KEY: KEY, AUDIT_KEY: KEY },
    { DATABASE_URL: 'postgresql://127.0.0.1/impact' },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.5' },
    { TRUSTED_PROXIES: '127.0.0.1' },
    { WEBHOOK_ALLOW_INSECURE: 'false' },
  ])
    assert.deepEqual(mayGo(env), [false, false], JSON.stringify(env));
  assert.deepEqual(mayGo({ WEBHOOK_ALLOW_INSECURE: 'true' }), [false, true]);
});

test('an empty setting is as one that is left out, except where production could be taken for a sandbox or be recorded elsewhere', () => {
  const production = { SERVICE_ENVIRONMENT: 'production', SECRETS_KEY: KEY, AUDIT_KEY: KEY };
  assert.equal(readConfig({ ...production, HOST: '', PORT: '', DATA_DIR: '' }).port, 8080);
  assert.throws(
    () => readConfig({ ...production, SERVICE_ENVIRONMENT: '' }),
    /SERVICE_ENVIRONMENT must be sandbox or production; it is empty/,
  );
  assert.throws(
    () => readConfig({ ...production, DATABASE_URL: '' }),
    /DATABASE_URL must name a database in production; it is empty/,
  );
});

test('OPERATIONS_NAMES takes host names alone', () => {
  assert.deepEqual(readConfig({ OPERATIONS_NAMES: 'metrics.internal, service-1' }).operationsNames, [
    'metrics.internal',
    'service-1',
  ]);
  for (const names of ['service:8081', 'http://service', 'one two'])
    assert.throws(() => readConfig({ OPERATIONS_NAMES: names }), /OPERATIONS_NAMES must be host names/, names);
});
