/**
 * A process that does the job `endless` by the schedule and never ends it, for tests that kill it:
 * `node hold-job.ts <database> <pattern>`. Prints one line when the run has begun.
 */
import { openSchedule } from '../../src/schedule/scheduler.ts';
import { openDatabase } from '../../src/store/database.ts';

const [, , databaseUrl = '', pattern = ''] = process.argv;
const keepAlive = () => new Promise<never>(() => setInterval(() => {}, 60_000));
const endless = {
  name: 'endless',
  description: 'never ends',
  pattern,
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
