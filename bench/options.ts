import { readArguments, readWhole, refuseArguments } from '../reliability/harness/arguments.ts';
import { findWrk } from './load/wrk.ts';
import { isScenarioName, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';

export interface BenchOptions {
  /** How long the service is loaded in each cell; its baselines together as long again. */
  readonly cellSeconds: number;
  /** Of whose figures each is the median. */
  readonly rounds: number;
  readonly scenarios: readonly ScenarioName[];
  /** Ascending. */
  readonly connections: readonly number[];
  /** How many contributions to grow to; `undefined` for a small database. */
  readonly rows: number | undefined;
  /** How many deliveries each measurement of them has at least; 0 leaves them out. */
  readonly deliveries: number;
  /** How many partners confirm, look up and estimate together; 0 leaves that out. */
  readonly partners: number;
  /** A git revision to compare with. */
  readonly against: string | undefined;
  /** `undefined` for a fresh embedded server. */
  readonly databaseUrl: string | undefined;
  readonly processes: number;
  /** Only the first minute of a new database is measured. */
  readonly young: boolean;
  readonly generator: 'wrk' | 'autocannon';
  readonly outputDirectory: string;
}

const DEFAULT_OUTPUT = new URL('results/', import.meta.url).pathname;

/** @param file Path of the program, whose head comment is the help. */
export function readOptions(file: string): BenchOptions {
  const given = readArguments(file, {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    scenarios: { type: 'string', default: SCENARIO_NAMES.join(',') },
    connections: { type: 'string', default: '1,16,128' },
    rows: { type: 'string' },
    deliveries: { type: 'string', default: '30000' },
    partners: { type: 'string', default: '200' },
    against: { type: 'string' },
    'database-url': { type: 'string', default: '' },
    processes: { type: 'string', default: '1' },
    young: { type: 'boolean', default: false },
    generator: { type: 'string', default: findWrk() ? 'wrk' : 'autocannon' },
    output: { type: 'string', default: DEFAULT_OUTPUT },
  });
  const databaseUrl = given['database-url'] === '' ? undefined : given['database-url'];
  if (given.against !== undefined && databaseUrl !== undefined)
    refuseArguments('--against needs a database server for each revision, so it does not go with --database-url.');
  if (given.young && databaseUrl !== undefined)
    refuseArguments('--young needs a new database, so it does not go with --database-url.');
  return {
    cellSeconds: readWhole('seconds', given.seconds, { min: 1, max: 3_600 }),
    rounds: readWhole('rounds', given.rounds, { min: 1, max: 99 }),
    scenarios: list(given.scenarios).map(readScenario),
    connections: list(given.connections)
      .map((text) => readWhole('connections', text, { min: 1, max: 384 }))
      .sort((a, b) => a - b),
    rows: given.rows === undefined ? undefined : readWhole('rows', given.rows, { min: 20_000, max: 130_000_000 }),
    deliveries: readWhole('deliveries', given.deliveries, { min: 0, max: 10_000_000 }),
    partners: readWhole('partners', given.partners, { min: 0, max: 5_000 }),
    against: given.against,
    databaseUrl,
    processes: readWhole('processes', given.processes, { min: 1, max: 64 }),
    young: given.young,
    generator: readGenerator(given.generator),
    outputDirectory: given.output,
  };
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function readScenario(name: string): ScenarioName {
  if (isScenarioName(name)) return name;
  throw new Error(`There is no scenario ${name}; there are ${SCENARIO_NAMES.join(', ')}.`);
}

function readGenerator(name: string): 'wrk' | 'autocannon' {
  if (name === 'autocannon' || (name === 'wrk' && findWrk())) return name;
  throw new Error('--generator must be wrk, which has to be installed (package wrk), or autocannon.');
}
