import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/store/database.ts';
import { listJobStates } from '../../src/store/jobs/job.ts';
import type { Installation } from '../harness/installation.ts';
import type { Random } from '../harness/random.ts';
import { progress } from '../harness/report.ts';
import {
  ADJUSTMENT_DAYS,
  BELOW_ZERO_DAY,
  DAY_MS,
  EARLY_CLOSING_DAYS,
  type Happening,
  HOUR_MS,
  LAST_NOON,
  listHappenings,
  PARTNERS,
  REVIEWED,
  RULE_CHANGES,
  RULES_AHEAD_DAYS,
} from './calendar.ts';
import type { SimulatedClock } from './clock.ts';
import { despiteMoves } from './despite-moves.ts';
import type { OperatorSimulator } from './operator-simulator.ts';
import { type Operators, renewSignIns } from './operators.ts';
import type { PartnerClient } from './partner-client.ts';
import type { PartnerRecords } from './partner-records.ts';
import { readSettledUntil } from './partner-settlements.ts';
import type { PlannedRule } from './rule-plan.ts';
import type { Writers } from './writers.ts';

const CLOSING_DELAY_MS = 300_000;
/** More than the lease of a job: a run whose end could not be written down is taken over when that is past. */
const WAIT_MAX_MS = 180_000;
const LOOK_EVERY_MS = 100;
const WITHDRAWING_DAY = 8;
/** In so long every job is due but those of the night and the hour. */
const JOBS_MS = 360_000;
/** After so long each process has looked at the database's time again, by which it tells which rules are in force. */
const RULES_KNOWN_MS = 5_000;

export interface QuarterOptions {
  /** The processes of the service. */
  readonly services: readonly Pick<Installation, 'startService' | 'stopService'>[];
  readonly clock: SimulatedClock;
  readonly database: Database;
  readonly client: PartnerClient;
  readonly apiKeys: readonly string[];
  readonly partnerIds: readonly string[];
  readonly partnerRecords: PartnerRecords;
  readonly writers: Writers;
  readonly simulator: OperatorSimulator;
  readonly operators: Operators;
  readonly random: Random;
  /** How many contributions are to be sent in all. */
  readonly contributions: number;
  readonly report: (violation: string, kind?: string) => void;
}

/** What happened in the quarter, as it is shown in the end and compared with what the service has. */
export interface QuarterCounts {
  /** By partner, closed before their time. */
  readonly early: number[];
  lostRaces: number;
  rulesMade: number;
  rulesWithdrawn: number;
  signInsRenewed: number;
}

/** Lives through the quarter: from one happening to the next, with contributions at every one of them. */
export class Quarter {
  readonly counts: QuarterCounts = {
    early: PARTNERS.map(() => 0),
    lostRaces: 0,
    rulesMade: 0,
    rulesWithdrawn: 0,
    signInsRenewed: 0,
  };
  readonly #options: QuarterOptions;
  /** Contributions a second while something else is looked at. */
  readonly #pace: number;
  #monthEnds = 0;

  constructor(options: QuarterOptions) {
    this.#options = options;
    this.#pace = Math.max(10, options.contributions / 1_000);
  }

  async run(): Promise<void> {
    await this.#beginUnderRules();
    for (const happening of listHappenings()) {
      const { clock, simulator, partnerRecords, writers } = this.#options;
      await this.#untilIdle();
      if (happening.kind === 'day') await this.#day(happening.at);
      else if (happening.kind === 'month ends') await this.#monthEnd(happening);
      else await this.#rulesChange(happening.at);
      const when = new Date(clock.now()).toISOString().slice(0, 16);
      const { confirmed, failed, expired, posted } = simulator.counts;
      const decided = `${confirmed} confirmed, ${failed} failed, ${expired} expired, ${partnerRecords.pending.size} pending`;
      progress(`${when} ${happening.kind.padEnd(12)} ${writers.counts.sent} sent; ${decided}; ${posted} adjustments`);
    }
  }

  async #beginUnderRules(): Promise<void> {
    const { clock, partnerRecords } = this.#options;
    const start = Math.min(...partnerRecords.rules.map(({ startsAt }) => startsAt));
    await this.#makeRules(partnerRecords.rules.filter(({ startsAt }) => startsAt === start));
    await clock.moveTo(start + 1_000);
    await sleep(RULES_KNOWN_MS);
  }

  async #makeRules(rules: readonly PlannedRule[]): Promise<void> {
    const { operators, partnerIds } = this.#options;
    for (const rule of rules) {
      await operators.admin.command(['rule', 'create', ...wordsOf(rule, partnerIds)]);
      this.counts.rulesMade++;
    }
  }

  async #day(noon: number): Promise<void> {
    const { clock, contributions, random, writers } = this.#options;
    // In two steps: whoever looks right after a move may find the time before it in one of the database's sessions.
    await this.#passNight(noon - JOBS_MS);
    await this.#untilIdle();
    await clock.moveTo(noon);
    const daysLeft = Math.round((LAST_NOON - noon) / DAY_MS) + 1;
    const left = Math.max(0, contributions - writers.counts.sent);
    const share = (left / daysLeft) * (0.7 + 0.6 * random.fraction());
    await Promise.all([writers.send(Math.ceil(daysLeft === 1 ? left : share)), this.#officeHours(noon)]);
    const day = new Date(noon).getUTCDate();
    if (noon === LAST_NOON) return;
    if (EARLY_CLOSING_DAYS.includes(day))
      for (const partner of PARTNERS.keys()) await writers.during(this.#pace, () => this.#closeEarly(partner));
    if (day === BELOW_ZERO_DAY) for (const partner of [1, 2]) await this.#goBelowZero(partner);
  }

  /** No process runs meanwhile: one whose clock is set forward holds its jobs for a minute, and there are ninety nights. */
  async #passNight(until: number): Promise<void> {
    const { clock, services } = this.#options;
    for (const service of services) await service.stopService();
    await clock.moveTo(until);
    for (const service of services) await service.startService();
  }

  async #officeHours(noon: number): Promise<void> {
    const { simulator, client, apiKeys, partnerRecords, clock } = this.#options;
    await this.#renewSignIns();
    await this.#untilJobRan('expire-pending', noon - JOBS_MS);
    await simulator.noteExpired(noon - JOBS_MS);
    // Some wait until the next day, and what comes with a month's end is decided on while it closes.
    await simulator.decide(noon - HOUR_MS);
    const day = new Date(noon).getUTCDate();
    if (ADJUSTMENT_DAYS.includes(day)) await simulator.adjust(24, await readSettledUntil(client, apiKeys));
    const ahead = RULE_CHANGES.find((change) => Math.abs(change - noon - RULES_AHEAD_DAYS * DAY_MS) < DAY_MS / 2);
    if (ahead !== undefined) await this.#makeRules(partnerRecords.rules.filter(({ startsAt }) => startsAt === ahead));
    if (day === WITHDRAWING_DAY) await this.#makeAndWithdraw(clock.now() + DAY_MS / 2);
  }

  async #renewSignIns(): Promise<void> {
    this.counts.signInsRenewed += await renewSignIns(this.#options.operators);
  }

  /** A version that never comes into force. */
  async #makeAndWithdraw(startsAt: number): Promise<void> {
    const { operators } = this.#options;
    const label = `withdrawn-${this.counts.rulesWithdrawn}`;
    const rule = { kind: 'point_conversion', label, partner: REVIEWED, startsAt, price: '1', currency: 'SAR' } as const;
    await this.#makeRules([rule]);
    await operators.admin.command(['rule', 'withdraw', '--kind', rule.kind, '--label', label, '--yes']);
    this.counts.rulesWithdrawn++;
  }

  async #rulesChange(at: number): Promise<void> {
    const { clock, writers } = this.#options;
    await clock.moveTo(at - 5_000);
    await writers.during(this.#pace, () => this.#until('the change', async () => clock.now() > at + 4_000));
  }

  /** The time goes over the end by itself, or it is moved over it; either way while contributions are confirmed and reviews decided. */
  async #monthEnd({ at, partner }: Extract<Happening, { kind: 'month ends' }>): Promise<void> {
    const { clock, writers, simulator } = this.#options;
    const isMovedOver = this.#monthEnds++ % 2 === 1;
    await clock.moveTo(at - HOUR_MS);
    await this.#renewSignIns();
    await this.#untilIdle();
    await clock.moveTo(at - 4_000);
    const end = async () => {
      await this.#until('the end of the month', async () => clock.now() > at + (isMovedOver ? -1_500 : 1_500));
      await clock.moveTo(at + CLOSING_DELAY_MS + 1_000);
      await this.#until(`the closing for ${PARTNERS[partner]?.name}`, async () => (await this.#settledUntil(partner)) >= at);
    };
    await writers.during(this.#pace, () => Promise.all([simulator.decide(clock.now()), end()]));
    if ((await this.#settledUntil(partner)) !== at)
      this.#options.report(`a settlement of ${PARTNERS[partner]?.name} was not closed at the end of its month`);
  }

  async #settledUntil(partner: number): Promise<number> {
    const { client, apiKeys } = this.#options;
    return (await readSettledUntil(client, apiKeys))[partner] as number;
  }

  /** By two commands at once: one of them closes it. */
  async #closeEarly(partner: number): Promise<void> {
    const { operators, report } = this.#options;
    const words = [...(await this.#wordsToClose(partner)), '--json'];
    const outcomes = await Promise.all([operators.approver.run(words), operators.approver.run(words)]);
    const closed = outcomes.filter(({ exitCode }) => exitCode === 0).map(({ stdout }) => idOf(stdout));
    if (closed.length !== 1)
      report(`two closed at once, and it became ${closed.join(' and ') || 'nothing'}: ${outcomes[0]?.stderr}`, 'early closing');
    const lost = outcomes.filter(({ exitCode }) => exitCode !== 0);
    for (const { stderr } of lost)
      if (!/Another process (closed|is closing) the settlement|is closed already/.test(stderr))
        report(`an early closing failed: ${stderr}`, 'early closing failed');
    this.counts.lostRaces += lost.length;
    (this.counts.early[partner] as number) += closed.length;
  }

  /** A settlement over nothing but points that are taken back: it ends below zero, and the next one begins with that. */
  async #goBelowZero(partner: number): Promise<void> {
    const { operators, simulator, client, apiKeys } = this.#options;
    await operators.approver.command(await this.#wordsToClose(partner));
    await simulator.takeBackMost(partner, await readSettledUntil(client, apiKeys));
    await operators.approver.command(await this.#wordsToClose(partner));
    (this.counts.early[partner] as number) += 2;
  }

  /** The command that closes the settlement that is open now. */
  async #wordsToClose(partner: number): Promise<string[]> {
    const { operators, partnerIds } = this.#options;
    const of = ['--partner', partnerIds[partner] as string];
    const [open] = await operators.approver.command<{ settlement_id: string }[]>(['settlement', 'list', ...of, '--limit', '1']);
    return ['settlement', 'close', ...of, '--settlement', open?.settlement_id as string, '--yes'];
  }

  /** No job is under way, so that a move of the time takes nobody's lease away. */
  async #untilIdle(): Promise<void> {
    const { database } = this.#options;
    await this.#until('the jobs to end', async () =>
      (await listJobStates(database.pool)).every(({ leaseUntil }) => leaseUntil === null),
    );
  }

  async #untilJobRan(name: string, since: number): Promise<void> {
    const { database } = this.#options;
    await this.#until(`the job ${name}`, async () => {
      const job = (await listJobStates(database.pool)).find(({ jobName }) => jobName === name);
      return (job?.lastSuccessAt?.getTime() ?? 0) >= since;
    });
  }

  async #until(what: string, isReached: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + WAIT_MAX_MS;
    while (!(await despiteMoves(isReached))) {
      if (performance.now() > deadline)
        throw new Error(`In vain waited for ${what}, at ${new Date(this.#options.clock.now()).toISOString()}.`);
      await sleep(LOOK_EVERY_MS);
    }
  }
}

function idOf(json: string): string {
  return (JSON.parse(json) as { settlement_id: string }).settlement_id;
}

function wordsOf(rule: PlannedRule, partnerIds: readonly string[]): string[] {
  const { kind, label, partner, startsAt, pointsMin, pointsMax, reviewThreshold, dailyCountCap, price, currency } = rule;
  const options = {
    kind,
    label,
    'starts-at': new Date(startsAt).toISOString(),
    partner: partner === null ? undefined : partnerIds[partner],
    'points-min': pointsMin,
    'points-max': pointsMax,
    'review-threshold': reviewThreshold,
    'daily-count-cap': dailyCountCap,
    [kind === 'point_conversion' ? 'point-value' : 'tree-cost']: price,
    currency,
  };
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
}
