/** A short run of `reliability/closings.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runClosings } from '../reliability/closings/run.ts';
import { testService } from './support/service.ts';
import { openFirst } from './support/settlements.ts';

const service = await testService();

test('12 closings by two processes under 10 writers: every confirmed contribution is on exactly one settlement', async () => {
  const { partner, key } = await service.newPartner();
  await openFirst(service.database, partner);
  const violations: string[] = [];
  const { baseUrl, databaseUrl, database } = service;
  const figures = await runClosings({
    ...{ baseUrl, databaseUrl, database, apiKey: key.apiKey, partnerId: partner.partnerId, closings: 12, writers: 10 },
    report: (violation) => void violations.push(violation),
  });
  assert.deepEqual(violations, []);
  assert.ok(figures.lines > 10 && figures.lines === figures.confirmations);
});
