/** A sender that may open no more files (decisions, section 7, Delivery). */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts';
import { listWebhookEndpoints } from '../../src/store/webhooks/webhook-endpoint.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { spawnService, testService } from '../support/service.ts';
import { endpointTools, makeDue, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const PRLIMIT = '/usr/bin/prlimit';
const service = await testService({ env: WEBHOOK_ENV, roles: ['api'] });

test('a delivery waits without an attempt while its sender may open no file, and arrives afterwards', {
  ...HANG_LIMIT,
  skip: existsSync(PRLIMIT) ? false : 'prlimit is not on this machine',
}, async () => {
  const { database } = service;
  const sender = await spawnService(service.databaseUrl, { ...WEBHOOK_ENV, LOG_LEVEL: 'warn' }, ['--roles', 'webhooks']);
  const { client, partner, receiver } = await newEndpoint(service, endpointTools(database));
  const { partnerId } = partner;
  const allow = (files: number) =>
    execFileSync(PRLIMIT, ['--pid', String(sender.process.pid), `--nofile=${files}:`], { stdio: 'pipe' });

  allow(1);
  await client.confirm();
  await waitFor('line of the log', () => sender.output().includes('connect EMFILE 127.0.0.1'), sender.output);
  const [waiting] = await untilDeliveries(database, partnerId, ([delivery]) => delivery !== undefined);
  assert.deepEqual([waiting?.status, waiting?.attempts, receiver.arrived.length], ['waiting', 0, 0]);
  const [endpoint] = await listWebhookEndpoints(database.pool, partnerId);
  assert.equal(endpoint?.failuresInRow, 0);

  allow(1_024);
  const isDelivered = async () => {
    await makeDue(database, partnerId);
    const [delivery] = await listDeliveries(database.pool, partnerId, { limit: 1 });
    return delivery?.status === 'delivered';
  };
  await waitFor('delivery', isDelivered, sender.output);
  assert.ok((await receiver.until(1)).length > 0);
});
