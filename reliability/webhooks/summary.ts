/** The tables at the end of a run. */
import { decimal, ratio, renderTable, whole } from '../../bench/report/table.ts';
import { percentile, printFigures, provenBelow } from '../harness/report.ts';
import type { ArrivalLog } from './arrival-log.ts';
import { describeFault } from './faults.ts';
import type { Kill } from './killer-over-time.ts';
import { type Latencies, type Latency, P99_RATIO_MAX } from './latency.ts';
import { type Endpoint, type Member, mustHaveAll } from './members.ts';
import type { Verdict } from './verdict.ts';

export interface Summary {
  readonly title: string;
  readonly members: readonly Member[];
  readonly arrivalLog: ArrivalLog;
  readonly verdict: Verdict;
  readonly kills: readonly Kill[];
  /** Confirmations, while the latencies were measured. */
  readonly perSecond: number;
  readonly latencies: Latencies;
  /** By fault. */
  readonly longestHeldMs: ReadonlyMap<string, number>;
  readonly addressesRefused: number;
  readonly memoryMegabytes: number;
}

export function printSummary(summary: Summary): void {
  process.stdout.write(`\n${summary.title}\n`);
  process.stdout.write(renderEndpoints(summary) + renderLatencies(summary));
  printKills(summary);
  printLoad(summary);
  printErrors(summary);
  process.stdout.write(renderProofs(summary));
}

function renderEndpoints({ members, arrivalLog }: Summary): string {
  const rows = members.flatMap((member, index) => member.endpoints.map((endpoint) => ({ partner: index + 1, endpoint })));
  const arrivalsOf = ({ number }: Endpoint) =>
    [...arrivalLog.deliveredTo(number).values()].reduce((sum, { arrivals }) => sum + arrivals.length, 0);
  return renderTable(
    'Endpoints, and what reached them',
    [
      ['endpoint', ({ endpoint }) => String(endpoint.number)],
      ['partner', ({ partner }) => String(partner)],
      ['first', ({ endpoint: { faults } }) => (faults[0] ? describeFault(faults[0]) : 'healthy')],
      ['while processes die', ({ endpoint: { faults } }) => (faults[1] ? describeFault(faults[1]) : 'healthy')],
      ['at the end', ({ endpoint }) => (mustHaveAll(endpoint) ? 'healthy' : 'the same')],
      ['events', ({ endpoint }) => whole(arrivalLog.deliveredTo(endpoint.number).size)],
      ['attempts', ({ endpoint }) => whole(arrivalsOf(endpoint))],
    ],
    rows,
  );
}

function renderLatencies({ perSecond, latencies }: Summary): string {
  const rows: [string, Latency][] = [
    ['all endpoints healthy', latencies.healthy],
    ['three in ten faulty', latencies.faulty],
  ];
  const table = renderTable(
    `From commit to the first attempt at healthy endpoints, ${perSecond} confirmations a second, milliseconds`,
    [
      ['', ([name]) => name],
      ['samples', ([, { samples }]) => whole(samples)],
      ['p50', ([, { p50Ms }]) => whole(p50Ms)],
      ['p90', ([, { p90Ms }]) => whole(p90Ms)],
      ['p99', ([, { p99Ms }]) => whole(p99Ms)],
      ['max', ([, { maxMs }]) => whole(maxMs)],
    ],
    rows,
  );
  const verdict = latencies.p99Ratio <= P99_RATIO_MAX ? 'met' : 'MISSED';
  const ratios = latencies.p99Ratios.map((each) => ratio(each, 1)).join(', ');
  return `${table}\n  p99 of spans side by side: ${ratios}; in the middle ${ratio(latencies.p99Ratio, 1)}, at most ${P99_RATIO_MAX}×: ${verdict}\n`;
}

function printKills({ kills, verdict: { repetitions } }: Summary): void {
  const seconds = (ms: number) => `${decimal(ms / 1_000)} s`;
  const ready = kills.map(({ readyAfterMs }) => readyAfterMs);
  printFigures('kill -9', {
    kills: `${kills.length}: ${kills.filter((kill) => kill.of === 'service').length} of the service, ${kills.filter((kill) => kill.of === 'process').length} of one process`,
    'ready again, ms': `median ${whole(percentile(ready, 0.5))}, most ${whole(Math.max(0, ...ready))}`,
    'events that healthy endpoints answered 2xx and got again': repetitions.count,
    'from the first to the next arrival of one': `${seconds(repetitions.shortestGapMs)} to ${seconds(repetitions.longestGapMs)}`,
    'of these and of first arrivals, those whose next sender was killed too': repetitions.behindTwoKills,
    'longest from a commit to the first arrival at a healthy endpoint': seconds(repetitions.longestFirstMs),
  });
}

function printLoad({ members, arrivalLog, longestHeldMs, addressesRefused, memoryMegabytes, verdict }: Summary): void {
  const tallies = members.map(({ server }) => server.tally);
  const total = (read: (tally: (typeof tallies)[number]) => number) =>
    whole(tallies.reduce((sum, tally) => sum + read(tally), 0));
  printFigures('What happened', {
    'confirmations sent': total(({ sent }) => sent),
    'of these refused for their key, event or order': total((t) => t.keyConflicts + t.eventConflicts + t.ordersHeld),
    'of these replays': total(({ replays }) => replays),
    'requests without an answer, and 503': total((t) => t.silent + t.unavailable),
    'estimates linked afterwards': total(({ linksAfterwards }) => linksAfterwards),
    'events due': whole(verdict.judgement.events),
    'deliveries that arrived, attempts counted': whole(arrivalLog.arrivals),
    'attempts after a sensible Retry-After': whole(verdict.pauses.asked),
    'of these early, as their first sender was killed': whole(verdict.pauses.earlyByKills),
    'connections that were refused for their address': whole(addressesRefused),
    'memory of the service at most, MB': whole(memoryMegabytes),
    ...Object.fromEntries([...longestHeldMs].map(([words, ms]) => [`longest held by "${words}"`, `${decimal(ms / 1_000)} s`])),
  });
}

function printErrors({ verdict: { errorsLogged } }: Summary): void {
  if (errorsLogged.size > 0) printFigures('Errors that the service logged', Object.fromEntries(errorsLogged));
}

/** Each zero with what it proves; what is not zero stands among the violations. */
function renderProofs({ arrivalLog, verdict: { judgement, pauses } }: Summary): string {
  const rows: [string, number][] = [
    ['events that did not reach an endpoint that had to get them', judgement.deliveriesDue],
    ['deliveries with a wrong signature, timestamp, header or envelope', arrivalLog.arrivals],
    ['events of nothing committed, of another partner, told twice or with other bytes', arrivalLog.events.size],
    ['contents other than answered', judgement.contentsCompared],
    ['sequences against the order of commits', judgement.orderedPairs],
    ['attempts before a sensible Retry-After was over', pauses.asked],
    ['attempts that reached a loopback listener', arrivalLog.arrivals],
  ];
  return renderTable(
    'What a zero proves, where nothing was violated',
    [
      ['', ([what]) => what],
      ['in', ([, trials]) => whole(trials)],
      ['rate', ([, trials]) => provenBelow(trials)],
    ],
    rows,
  );
}
