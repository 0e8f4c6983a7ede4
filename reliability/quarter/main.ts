/**
 * Simulates a quarter: three partners in three time zones, whose shops confirm contributions while rules change, operators decide,
 * settlements are corrected and closed, by the clock and by hand, by two processes on one database.
 *
 *     npm run simulate:quarter -- [--contributions 300000] [--seed N]
 *
 *   --contributions  how many are sent (default 300000)
 *   --seed           repeats the choices of a run (default: another one each time)
 *
 * The processes and their PostgreSQL have a time of day of their own (libfaketime). It is moved from day to day while no process runs, and
 * beside running processes when rules change and months end. In the end the books of the senders are compared with the statements: points
 * confirmed = settled + open, every record on one statement, the same bytes each time.
 * Exit code 1 when anything is violated, 2 without libfaketime.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { owner as machineOwner } from '../../src/commands/terminal/actor.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import type { Database } from '../../src/store/database.ts';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation } from '../harness/installation.ts';
import { freshSeed, seeded } from '../harness/random.ts';
import { printFigures, progress, Violations } from '../harness/report.ts';
import { BEGINS_AT, DAY_MS, FIRST_NOON, HOUR_MS, LAST_NOON, PARTNERS, REVIEWED } from './calendar.ts';
import { checkByCommands, checkJobs } from './check-commands.ts';
import { checkStatements, fetchStatement, type Served } from './check-statements.ts';
import { clockEnvironment, findClockLibrary, SimulatedClock } from './clock.ts';
import { startClockedServer } from './clocked-server.ts';
import { OperatorSimulator } from './operator-simulator.ts';
import { createOperators } from './operators.ts';
import { PartnerClient } from './partner-client.ts';
import { PartnerRecords } from './partner-records.ts';
import { Quarter } from './quarter.ts';
import { planRules } from './rule-plan.ts';
import { Writers } from './writers.ts';

const PROCESSES = 2;
const RULES_START_AT = BEGINS_AT + HOUR_MS;
const RIYADH_OFFSET_MS = 3 * HOUR_MS;
const OPEN_RATES = { writesPerSecond: 1_000_000, lookupsPerSecond: 1_000_000, reportsPerSecond: 1_000_000 };

const given = readArguments(import.meta.filename, {
  contributions: { type: 'string', default: '300000' },
  seed: { type: 'string' },
});
const contributions = readWhole('contributions', given.contributions, { min: 1_000, max: 10_000_000 });
const seed = given.seed === undefined ? freshSeed() : readWhole('seed', given.seed, { min: 0, max: 2 ** 32 - 1 });

const library = findClockLibrary();
if (library === undefined) {
  process.stderr.write('libfaketime is missing, which gives the service another time of day: apt-get install libfaketime\n');
  process.exit(2);
}

const violations = new Violations();
const dataDirectory = mkdtempSync(join(tmpdir(), 'partner-impact-quarter-'));
const clockFile = join(dataDirectory, 'clock');
const environment = clockEnvironment(library, clockFile);
const clock = new SimulatedClock(clockFile, { realNow: Date.now(), beginsAt: BEGINS_AT });
const services: Installation[] = [];
try {
  progress(`seed ${seed}: ${contributions} contributions from January to March`);
  await startClockedServer(dataDirectory, environment);
  for (let count = 0; count < PROCESSES; count++) services.push(await Installation.start({ dataDirectory, env: environment }));
  const database = (services[0] as Installation).openDatabase();
  const partners = new PartnerClient(services.map(({ baseUrl }) => baseUrl));
  try {
    process.exitCode = await simulate(database, partners);
  } catch (error) {
    for (const { port, output } of services)
      process.stderr.write(`\nThe process at port ${port} wrote:\n${output.slice(-3_000)}\n`);
    throw error;
  } finally {
    await partners.close();
    await database.close();
  }
} finally {
  for (const service of services) await service.close();
  rmSync(dataDirectory, { recursive: true, force: true });
}

async function simulate(database: Database, client: PartnerClient): Promise<number> {
  const { report } = violations;
  const random = seeded(seed);
  const { partnerIds, apiKeys } = await makePartners(database);
  const dailyCount = contributions / ((LAST_NOON - FIRST_NOON) / DAY_MS + 1) / PARTNERS.length;
  const partnerRecords = new PartnerRecords(planRules(RULES_START_AT, dailyCount));
  const operators = await createOperators({ environment: { ...process.env, ...environment }, dataDirectory, clock });
  const writers = new Writers({ client, partnerRecords, random, apiKeys, clock, report });
  const simulator = new OperatorSimulator({
    database,
    dataDirectory,
    partnerRecords,
    operators,
    random,
    partnerIds,
    clock,
    report,
  });
  const surroundings = {
    services,
    clock,
    database,
    client,
    apiKeys,
    partnerIds,
    partnerRecords,
    writers,
    simulator,
    operators,
    random,
  };
  const quarter = new Quarter({ ...surroundings, contributions, report });
  const started = performance.now();
  await quarter.run();
  const livedSeconds = (performance.now() - started) / 1_000;
  progress('the quarter is over: the books are compared');
  const expected = PARTNERS.map(({ monthEnds }, partner) => monthEnds.length + (quarter.counts.early[partner] as number) + 1);
  const { served, books } = await checkStatements({ client, partnerRecords, apiKeys, expected, report });
  for (const day of partnerRecords.listDaysOverCap(REVIEWED, RIYADH_OFFSET_MS)) report(`past the daily cap: ${day}`, 'cap');
  const runs = await countRuns();
  await fetchAgain(served, apiKeys);
  progress('the verifying commands look');
  const commands = await checkByCommands({ owner: operators.owner, served, partnerIds, dataDirectory, report });
  const jobs = await checkJobs({ owner: operators.owner, report });
  const { sent, confirmed, pending, refused, withEstimate, replayed } = writers.counts;
  const { early, lostRaces, rulesMade, rulesWithdrawn, signInsRenewed } = quarter.counts;
  const answered = `${sent}: ${confirmed} confirmed at once, ${pending} pending, ${refused} refused as out of bounds`;
  const { counts } = simulator;
  const reviews = `${counts.confirmed} confirmed and ${counts.failed} failed by an operator, ${counts.expired} by the schedule, ${partnerRecords.pending.size} pending`;
  const adjustments = `${counts.posted} posted (${counts.restated} restate amounts, ${counts.reversed} reverse another), ${counts.rejected} rejected`;
  const monthly = PARTNERS.reduce((sum, { monthEnds }) => sum + monthEnds.length, 0);
  printFigures('A quarter by the clock', {
    seed,
    contributions: answered,
    'of these': `${withEstimate} with an estimate, ${replayed} repeated with their key`,
    'requests made again': `${client.repeated}, their outcome unknown`,
    'lived through in': `${livedSeconds.toFixed(0)} s`,
    rules: `${rulesMade} versions of three kinds, ${rulesWithdrawn} of them withdrawn before their start`,
    reviews,
    adjustments,
    'steps refused': `${counts.refusedSteps}, which took a second person or another state`,
    'sign-ins': `${signInsRenewed} ended after 30 days, and were made anew`,
    closings: `${monthly} by the schedule at month ends, ${early.reduce((sum, count) => sum + count)} early by hand (${lostRaces} races lost)`,
    ...Object.fromEntries(books.map((each) => [`books of ${each.partner}`, bookText(each)])),
    'runs of close-settlements': `${runs.join(' and ')} by the two processes`,
    'runs of jobs': Object.entries(jobs)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', '),
    'fetched again after a restart': `${served.length} statements, ${served.reduce((sum, { bytes }) => sum + bytes.length, 0)} bytes`,
    ...commands,
  });
  return violations.printVerdict(`${partnerRecords.entries.length} contributions, ${served.length} statements`);
}

function bookText({
  settlements,
  lines,
  late,
  carried,
  confirmed,
  adjusted,
  settled,
  open,
}: Awaited<ReturnType<typeof checkStatements>>['books'][number]): string {
  const points = `${confirmed} confirmed ${adjusted} adjusted = ${settled} settled + ${open} open`;
  return `${points}; ${settlements} statements, ${lines} lines, ${late} of them late, ${carried} carried forward`;
}

async function makePartners(database: Database): Promise<{ partnerIds: string[]; apiKeys: string[] }> {
  const partnerIds: string[] = [];
  const apiKeys: string[] = [];
  for (const { name, timeZone, currency } of PARTNERS) {
    const { partnerId } = await createPartner(database, machineOwner(), name, { ...OPEN_RATES, timeZone, currency });
    const terms = { name: 'shops', permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
    const { apiKey } = await issueApiKey(database, machineOwner(), { environment: 'sandbox', partnerId, ...terms });
    partnerIds.push(partnerId);
    apiKeys.push(apiKey);
  }
  return { partnerIds, apiKeys };
}

/** How many runs of the closing job each process has ended. */
async function countRuns(): Promise<number[]> {
  return Promise.all(
    services.map(async ({ operationsPort }) => {
      const text = await (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
      const pattern = /^partner_impact_job_runs_total\{job="close-settlements",outcome="succeeded"\} (\d+)/m;
      return Number(pattern.exec(text)?.[1] ?? 0);
    }),
  );
}

/** From each process, after both were started anew. */
async function fetchAgain(served: readonly Served[], apiKeys: readonly string[]): Promise<void> {
  for (const service of services) await service.stopService();
  for (const service of services) await service.startService();
  const client = new PartnerClient(services.map(({ baseUrl }) => baseUrl));
  for (const { partner, settlement, bytes } of served)
    for (const process of services.keys()) {
      const again = await fetchStatement({ client, report: violations.report }, apiKeys[partner] as string, settlement, process);
      if (!again.equals(bytes))
        violations.report(`the statement of ${settlement.settlement_id} is another one after a restart`, 'other bytes');
    }
  await client.close();
}
