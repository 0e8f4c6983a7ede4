import { decimal, microseconds, ratio, renderTable, whole } from '../report/table.ts';
import { SCENARIOS } from '../scenarios.ts';
import type { LimitedScenario, Limits } from './measure-limits.ts';
import { predict, predictMost } from './model.ts';

const MORE_CORES = [2, 4, 8, 16, 32];
const WAITS_SHOWN = 6;

export function renderLimits({ sharedSpeed, costs, measured, waits, walBytes, requestsPerFlush }: Limits): string {
  const scenarios = [...costs.keys()];
  const costsOf = (scenario: LimitedScenario) => costs.get(scenario) ?? unknown(scenario);
  const more = scenarios.flatMap((scenario) =>
    MORE_CORES.map((cores) => ({ scenario, cores, ...predictMost(costsOf(scenario), cores) })),
  );
  return [
    `\nWhile all cores work, each has ${decimal(sharedSpeed)} of its speed alone.\n`,
    renderTable(
      'What a request costs: one process of the service, all parts on all cores',
      [
        ['scenario', (scenario) => SCENARIOS[scenario].title],
        ['service µs', (scenario) => whole(costsOf(scenario).microseconds.service)],
        ['PostgreSQL µs', (scenario) => whole(costsOf(scenario).microseconds.database)],
        ['load µs', (scenario) => whole(costsOf(scenario).microseconds.load)],
        ['a flush µs', (scenario) => whole(costsOf(scenario).flushMicroseconds)],
      ],
      scenarios,
    ),
    `\nA confirmation writes ${whole(walBytes)} bytes of write-ahead log; a flush holds ${decimal(requestsPerFlush)} confirmations.\n`,
    renderTable(
      'What the sessions of PostgreSQL that have a statement do, while confirmations arrive',
      [
        ['what', ({ wait }) => wait],
        ['share', ({ share }) => `${decimal(share * 100)} %`],
      ],
      waits.slice(0, WAITS_SHOWN),
    ),
    renderTable(
      'Measured, beside what these costs allow',
      [
        ['scenario', ({ scenario }) => SCENARIOS[scenario].title],
        ['where', ({ placement }) => placement.name],
        ['processes', ({ placement }) => String(placement.processes)],
        ['per second', ({ figures }) => whole(figures.perSecond)],
        ['allowed', ({ scenario, placement }) => whole(predict(costsOf(scenario), placement).perSecond)],
        [
          'ratio',
          ({ scenario, placement, figures }) => ratio(figures.perSecond, predict(costsOf(scenario), placement).perSecond),
        ],
        ['service µs', ({ figures }) => microseconds(figures.serviceCpu, figures.perSecond)],
        ['PostgreSQL µs', ({ figures }) => microseconds(figures.databaseCpu, figures.perSecond)],
        ['limited by', ({ scenario, placement }) => predict(costsOf(scenario), placement).limit],
      ],
      measured,
    ),
    renderTable(
      'Calculated from these costs: cores for the service and PostgreSQL, with the load elsewhere',
      [
        ['scenario', ({ scenario }) => SCENARIOS[scenario].title],
        ['cores', ({ cores }) => String(cores)],
        ['processes', ({ processes }) => String(processes)],
        ['per second', ({ perSecond }) => whole(perSecond)],
        ['WAL MB/s', ({ scenario, perSecond }) => (scenario === 'confirm' ? decimal((perSecond * walBytes) / 1e6) : '–')],
        ['limited by', ({ limit }) => limit],
      ],
      more,
    ),
  ].join('');
}

function unknown(scenario: LimitedScenario): never {
  throw new Error(`The costs of ${scenario} were not measured.`);
}
