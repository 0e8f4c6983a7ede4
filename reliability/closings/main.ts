/**
 * Closes a partner's settlements from two processes at once, while fifty writers confirm contributions.
 *
 *     npm run closings -- [--closings 100] [--writers 50]
 *
 *   --closings  how many settlements are closed (default 100)
 *   --writers   how many confirm without a pause (default 50)
 *
 * In the end every confirmed contribution must be on exactly one settlement, and lines must add up to totals. A run is void when the two
 * processes never met at a settlement, or when fewer than two settlements have lines. Exit code 1 when anything is violated.
 */

import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import { printFigures, progress, Violations } from '../harness/report.ts';
import { checkMeetings, runClosings } from './run.ts';

const given = readArguments(import.meta.filename, {
  closings: { type: 'string', default: '100' },
  writers: { type: 'string', default: '50' },
});
const closings = readWhole('closings', given.closings, { min: 1, max: 10_000 });
const writers = readWhole('writers', given.writers, { min: 1, max: 500 });

const violations = new Violations();
const installation = await Installation.start();
const database = installation.openDatabase();
try {
  const { partnerId, apiKey } = await makePartner(database);
  progress(`${closings} closings by two processes under ${writers} writers`);
  const { baseUrl, databaseUrl } = installation;
  const run = { baseUrl, databaseUrl, apiKey, database, partnerId, closings, writers, report: violations.report };
  const figures = await runClosings(run);
  checkMeetings(figures, violations.report);
  printFigures('Closings', { ...figures });
  process.exitCode = violations.printVerdict(`${closings} closings under ${writers} writers`);
} finally {
  await database.close();
  await installation.close();
}
