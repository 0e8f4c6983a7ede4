/** A short run of `reliability/closings/main.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runClosings } from '../../reliability/closings/run.ts';
import { testService } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';

const service = await testService();

// Few writers leave moments in which nothing after the end is numbered yet.
for (const [closings, writers] of [
  [12, 10],
  [30, 3],
] as const) {
  test(`${closings} closings by two processes under ${writers} writers: every confirmed contribution is on exactly one settlement`, async () => {
    const { partner, key } = await service.newPartner();
    await openFirst(service.database, partner);
    const violations: string[] = [];
    const { baseUrl, databaseUrl, database } = service;
    const figures = await runClosings({
      baseUrl,
      databaseUrl,
      database,
      apiKey: key.apiKey,
      partnerId: partner.partnerId,
      closings,
      writers,
      report: (violation) => void violations.push(violation),
    });
    assert.deepEqual(violations, []);
    assert.ok(figures.lines > writers && figures.lines === figures.confirmations);
  });
}
