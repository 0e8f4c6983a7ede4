import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

describe('WEBHOOK_ALLOW_INSECURE', () => {
  const allowed = (env: Record<string, string>) => readConfig(env).allowsInsecureWebhooks;
  const PRODUCTION = { SERVICE_ENVIRONMENT: 'production', SECRETS_KEY: `2026:${Buffer.alloc(32).toString('base64')}` };

  test("is loopback by default where a sandbox is for this machine alone: the embedded database, a loopback HOST, no proxy's clients", () => {
    for (const env of [{}, { HOST: 'localhost' }, { HOST: '::1' }, { HOST: '127.0.0.2' }]) assert.equal(allowed(env), 'loopback');
  });

  test('is false by default everywhere else', () => {
    for (const env of [
      { HOST: '0.0.0.0' },
      { HOST: '::' },
      { HOST: '10.0.0.7' },
      { HOST: 'sandbox.example' },
      { DATABASE_URL: 'postgresql://localhost/impact' },
      { TRUSTED_PROXIES: '127.0.0.1' },
      PRODUCTION,
    ])
      assert.equal(allowed(env), false, JSON.stringify(env));
  });

  test('is what is set', () => {
    assert.equal(allowed({ WEBHOOK_ALLOW_INSECURE: 'false' }), false);
    assert.equal(allowed({ WEBHOOK_ALLOW_INSECURE: 'true', HOST: '0.0.0.0' }), true);
    assert.equal(allowed({ WEBHOOK_ALLOW_INSECURE: 'loopback', HOST: '0.0.0.0' }), 'loopback');
  });

  test('production refuses everything but false, and what makes no sense is refused', () => {
    for (const value of ['true', 'loopback', 'yes'])
      assert.throws(() => readConfig({ ...PRODUCTION, WEBHOOK_ALLOW_INSECURE: value }), ConfigError, value);
    assert.equal(allowed({ ...PRODUCTION, WEBHOOK_ALLOW_INSECURE: 'false' }), false);
  });
});
