/**
 * The scenarios that a partner may request for a confirmation or an estimate in the sandbox, by a header or by a prefix of
 * `partner_order_ref`.
 *
 * @see docs/spec/decisions.md#8-sandbox.
 */
export const SCENARIO_NAMES = [
  'pending',
  'pending_then_confirmed',
  'pending_then_failed',
  'failed',
  'rate_limited',
  'service_unavailable',
  'timeout_before_commit',
  'timeout_after_commit',
  'slow',
  'estimate_expired',
  'order_taken',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export interface Scenario {
  readonly name: ScenarioName;
  /** The name and the parameter of the scenario, in the form of the header. */
  readonly text: string;
  /** How many requests with one key are refused before the next is accepted; only for a scenario that refuses. */
  readonly times: number;
  /** After this time a pending contribution ends automatically. */
  readonly afterSeconds: number;
  /** How long the answer waits after the commit. */
  readonly slowMs: number;
}

export type RehearsedOperation = 'confirmContribution' | 'createDeliveryEmissionsEstimate';

/** How a requested review ends automatically; without an outcome it waits like any other. */
export interface SimulatedReview {
  readonly outcome: 'confirmed' | 'failed' | null;
  readonly afterSeconds: number;
}

/** The count above all others: the request is refused as long as it has the scenario. */
const EVERY_TIME = 2_147_483_647;
const AFTER_SECONDS_MAX = 72 * 3_600;
const SLOW_MS_MAX = 30_000;
const TIMES_MAX = 100;

const AFTER_SECONDS = 10;
const SLOW_MS = 8_000;

/** The scenarios that refuse a request before anything is stored. */
const REFUSING: readonly ScenarioName[] = ['rate_limited', 'service_unavailable', 'timeout_before_commit'];
const OF_ESTIMATES: readonly ScenarioName[] = [...REFUSING, 'timeout_after_commit', 'slow', 'estimate_expired'];

/** The parameter that a scenario takes. */
const PARAMETERS: Partial<Record<ScenarioName, 'times' | 'after' | 'ms'>> = {
  rate_limited: 'times',
  service_unavailable: 'times',
  timeout_before_commit: 'times',
  pending_then_confirmed: 'after',
  pending_then_failed: 'after',
  slow: 'ms',
};

const PARAMETER_FORMS = {
  times: [`from 1 to ${TIMES_MAX}`, '2'],
  after: [`in s, m or h, at most ${AFTER_SECONDS_MAX / 3_600} h`, '30s'],
  ms: [`from 1 to ${SLOW_MS_MAX}`, '8000'],
} as const;

/** `slow takes no parameter but ms, from 1 to 30000, such as slow;ms=8000` */
export function describeParameter(name: ScenarioName): string {
  const parameter = PARAMETERS[name];
  if (parameter === undefined) return `${name} takes no parameter`;
  const [bounds, example] = PARAMETER_FORMS[parameter];
  return `${name} takes no parameter but ${parameter}, ${bounds}, such as ${name};${parameter}=${example}`;
}

/**
 * A prefix that begins with another precedes it in the list. A refusal by prefix ends automatically: the retry must send the same
 * reference.
 */
const PREFIXES: readonly (readonly [prefix: string, text: string])[] = [
  ['SIM-PENDING-THEN-CONFIRMED-', 'pending_then_confirmed'],
  ['SIM-PENDING-THEN-FAILED-', 'pending_then_failed'],
  ['SIM-PENDING-', 'pending'],
  ['SIM-FAILED-', 'failed'],
  ['SIM-TIMEOUT-AFTER-COMMIT-', 'timeout_after_commit'],
  ['SIM-TIMEOUT-BEFORE-COMMIT-', 'timeout_before_commit;times=1'],
  ['SIM-503-TWICE-', 'service_unavailable;times=2'],
  ['SIM-429-', 'rate_limited;times=1'],
  ['SIM-SLOW-', 'slow'],
  ['SIM-ORDER-TAKEN-', 'order_taken'],
];

export const SCENARIO_PREFIXES: readonly string[] = PREFIXES.map(([prefix]) => prefix);

const EVERY_PREFIX = 'SIM-';

export function isRefusing({ name }: Scenario): boolean {
  return REFUSING.includes(name);
}

/** The effect of the scenario on a confirmation that would be confirmed; `undefined` for none. */
export function simulatedReviewOf({ name, afterSeconds }: Scenario): SimulatedReview | undefined {
  if (name === 'pending') return { outcome: null, afterSeconds: 0 };
  if (name === 'pending_then_confirmed') return { outcome: 'confirmed', afterSeconds };
  if (name === 'pending_then_failed') return { outcome: 'failed', afterSeconds };
  return name === 'failed' ? { outcome: 'failed', afterSeconds: 0 } : undefined;
}

export function isFor({ name }: Pick<Scenario, 'name'>, operation: RehearsedOperation): boolean {
  return operation === 'confirmContribution' || OF_ESTIMATES.includes(name);
}

const FORM = /^([a-z_]+)(?:\s*;\s*([a-z]+)\s*=\s*(\d{1,9})([a-z]*))?$/;

/**
 * Reads `pending_then_failed;after=30s`, `service_unavailable;times=2` or `slow;ms=8000`.
 *
 * @returns `undefined` for any other text.
 */
export function readScenario(text: string): Scenario | undefined {
  const [, name, parameter, value, unit] = FORM.exec(text.trim()) ?? [];
  if (name === undefined || !isScenarioName(name)) return undefined;
  const usual = { name, text: name, times: EVERY_TIME, afterSeconds: AFTER_SECONDS, slowMs: SLOW_MS };
  if (parameter === undefined || value === undefined) return usual;
  if (parameter !== PARAMETERS[name]) return undefined;
  const given = readParameter(parameter, Number(value), unit ?? '');
  return given && { ...usual, ...given, text: `${name};${parameter}=${Number(value)}${unit}` };
}

/** The scenario that a text begins with, whatever follows the semicolon behind its name; `undefined` for none. */
export function scenarioNameOf(text: string): ScenarioName | undefined {
  const name = /^[a-z_]+(?=\s*(?:;|$))/.exec(text.trim())?.[0] ?? '';
  return isScenarioName(name) ? name : undefined;
}

function isScenarioName(name: string): name is ScenarioName {
  return (SCENARIO_NAMES as readonly string[]).includes(name);
}

const SECONDS_OF: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600 };

function readParameter(parameter: 'times' | 'after' | 'ms', value: number, unit: string): Partial<Scenario> | undefined {
  if (parameter === 'after') {
    const afterSeconds = value * (SECONDS_OF[unit] ?? Number.NaN);
    return afterSeconds <= AFTER_SECONDS_MAX ? { afterSeconds } : undefined;
  }
  if (unit !== '' || value < 1) return undefined;
  if (parameter === 'times') return value <= TIMES_MAX ? { times: value } : undefined;
  return value <= SLOW_MS_MAX ? { slowMs: value } : undefined;
}

/** The scenario that the order's reference requests; `undefined` for an ordinary reference. */
export function scenarioOfReference(partnerOrderRef: string): Scenario | undefined {
  if (!partnerOrderRef.startsWith(EVERY_PREFIX)) return undefined;
  const found = PREFIXES.find(([prefix]) => partnerOrderRef.startsWith(prefix));
  return found && readScenario(found[1]);
}
