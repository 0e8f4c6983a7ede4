/** A short run of `reliability/closings/main.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMeetings, runClosings } from '../../reliability/closings/run.ts';
import { testService } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';

const service = await testService();

test('a run in which the processes never raced, one of them closed nothing or hardly a settlement has lines has shown nothing', () => {
  const check = (figures: Parameters<typeof checkMeetings>[0]) => {
    const violations: string[] = [];
    checkMeetings(figures, (violation) => void violations.push(violation));
    return violations;
  };
  assert.deepEqual(check({ closed: [6, 6], lostRaces: 1, settlementsWithLines: 2 }), []);
  assert.deepEqual(check({ closed: [12, 0], lostRaces: 0, settlementsWithLines: 1 }), [
    'void: 1 of 2 processes closed nothing',
    'void: the processes never met at a settlement',
    'void: 1 settlements have lines',
  ]);
});

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
