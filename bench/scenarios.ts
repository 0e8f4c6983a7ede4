/** What is asked of the service, over and over. `wrk/requests.lua` and `load/requests.ts` say what each sends. */
export interface Scenario {
  readonly title: string;
  /** Every 201 is a new row in the database; the other scenarios leave it as it is. */
  readonly storesRows: boolean;
  /** Compared with `pgbench` inserting contributions, one per transaction. */
  readonly hasPgbenchBaseline: boolean;
  /** Needs an estimate for each request, made beforehand. */
  readonly needsEstimates: boolean;
}

const READ = { storesRows: false, hasPgbenchBaseline: false, needsEstimates: false };
const WRITE = { storesRows: true, hasPgbenchBaseline: false, needsEstimates: false };

export const SCENARIOS = {
  confirm: { ...WRITE, title: 'confirm', hasPgbenchBaseline: true },
  'confirm-with-calculation': { ...WRITE, title: 'confirm with calculation', hasPgbenchBaseline: true, needsEstimates: true },
  estimate: { ...WRITE, title: 'estimate' },
  'lookup-by-event': { ...READ, title: 'lookup by event id' },
  'lookup-by-id': { ...READ, title: 'lookup by transaction id' },
  replay: { ...READ, title: 'replay' },
  mix: { ...WRITE, title: 'mix 60 % confirm, 30 % lookup, 10 % estimate' },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

export const LOOKUPS = ['lookup-by-event', 'lookup-by-id'] as const satisfies ScenarioName[];

export function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}
