import type { Attack } from './attack.ts';
import type { AttackFigures, Latency } from './measure-attack.ts';

export interface SiegeRow {
  readonly attack: Attack;
  readonly figures: AttackFigures;
  readonly wrong: readonly string[];
}

/** A line for each attack. */
export function printTable(rows: readonly SiegeRow[]): void {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const lines = cells.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  );
  process.stdout.write(`\n${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

const HEADINGS = [
  'attack',
  'connections',
  'kB/s',
  'requests/s',
  'answers',
  'refused',
  'quiet p50/p99/max ms',
  'beside p50/p99/max ms',
  'MB before/peak/after',
  'others',
  'verdict',
];

function cellsOf({ attack, figures, wrong }: SiegeRow): string[] {
  const { attacker, seconds, quiet, beside, refused, honestRequests, memory, othersCores } = figures;
  return [
    attack.name,
    `${attacker.openMax}`,
    (attacker.bytesSent / seconds / 1_000).toFixed(1),
    `${Math.round(attacker.requestsSent / seconds)}`,
    Object.entries(attacker.byStatus)
      .map(([status, times]) => `${status}×${times}`)
      .join(' ') || '-',
    `${Object.values(refused).reduce((sum, times) => sum + times, 0)}/${honestRequests}`,
    show(quiet),
    show(beside),
    `${memory.before}/${memory.peak}/${memory.after}`,
    othersCores.toFixed(2),
    wrong.length === 0 ? 'held' : 'FELL',
  ];
}

function show({ p50Ms, p99Ms, maxMs }: Latency): string {
  return [p50Ms, p99Ms, maxMs].map((value) => Math.round(value)).join('/');
}
