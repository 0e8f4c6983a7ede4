/** What a run of a job counts has words in both languages: every job is run, and the names in its result are looked up. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { DID, DOES } from '../../console/src/pages/jobs/job-texts.ts';
import type { JobResult } from '../../src/schedule/job.ts';
import { listJobs } from '../../src/schedule/jobs.ts';
import { testService } from '../support/service.ts';
import { actor, tools } from '../support/settlements.ts';

/** What the results of `verify` and `report-break-glass` have beside their counts, for programs. */
const NO_COUNTS = ['audit_last', 'last_entry'];

const { database, newPartner } = await testService();
const jobs = listJobs({ eventDays: 90, reviewExpiryHours: 72, settlementTools: tools() });
const results = new Map<string, JobResult>();

before(async () => {
  const { client } = await newPartner();
  assert.equal((await client.confirm()).status, 201);
  const context = { database, signal: new AbortController().signal, actor: actor('admin'), alert: () => {} };
  for (const job of jobs) results.set(job.name, await job.run(context));
});

const wordsOf: Readonly<Record<string, readonly [string, string]>> = DID;
const countsOf = (result: JobResult | undefined) => Object.keys(result ?? {}).filter((name) => !NO_COUNTS.includes(name));

describe('what a job did', () => {
  for (const { name } of jobs)
    test(`${name}: every count has words in English and Arabic, and the job itself`, () => {
      const result = results.get(name);
      const counts = countsOf(result);
      assert.ok(counts.length > 0);
      for (const count of counts) {
        assert.equal(typeof result?.[count], 'number', count);
        assert.ok(
          wordsOf[count]?.every((word) => word !== ''),
          `${count} has no words in job-texts.ts`,
        );
      }
      assert.ok(Object.hasOwn(DOES, name));
    });

  for (const { name, description } of jobs)
    test(`${name}: what it does is said with the one number of its description, or without any`, () => {
      const said: readonly (string | ((figure: string) => string))[] = DOES[name as keyof typeof DOES];
      const figures = description.match(/\d+/g) ?? [];
      for (const text of said) assert.equal(typeof text, figures.length === 1 ? 'function' : 'string', description);
    });

  test('no words are left over for what no job counts', () => {
    const counted = new Set([...results.values()].flatMap(countsOf));
    assert.deepEqual(
      Object.keys(DID).filter((count) => count !== 'nothing' && !counted.has(count)),
      [],
    );
  });
});
