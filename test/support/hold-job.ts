/**
 * A process that does the job `endless` by the schedule and never ends it, for tests that kill it:
 * `node hold-job.ts <database>`. Prints one line when the run has begun.
 */
import { openSchedule } from '../../src/schedule/scheduler.ts';
import { openDatabase } from '../../src/store/database.ts';

const [, , databaseUrl = ''] = process.argv;
const keepAlive = () => new Promise<never>(() => setInterval(() => {}, 60_000));
const endless = {
  name: 'endless',
  description: 'never ends',
  pattern: '0 0 1 1 *',
  run: async () => {
    console.log('begun');
    return keepAlive();
  },
};
openSchedule({
  database: openDatabase({ databaseUrl, poolSize: 2 }),
  jobs: [endless],
  onRun: () => {},
  onAlert: () => {},
  onError: console.error,
});
