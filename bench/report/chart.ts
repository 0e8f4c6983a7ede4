import type { Cell } from '../cells.ts';
import type { Results } from '../results.ts';
import { SCENARIOS } from '../scenarios.ts';
import { whole } from './table.ts';

const WIDTH = 880;
const LABEL_WIDTH = 212;
const BARS_WIDTH = 490;
const TOP = 92;
const BAR_HEIGHT = 15;
const BAR_STEP = 18;
const GROUP_GAP = 16;
const BOTTOM = 44;

/** The card brings its own background: a picture in a page cannot know the page's. */
const STYLE = `
  .card { fill: #ffffff; stroke: #d0d7de; } .text { fill: #1f2328; } .quiet { fill: #59636e; }
  .service { fill: #1a7f5a; } .pgbench { fill: #b7791f; } .constant { fill: #b9c2cc; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d; } .text { fill: #f0f6fc; } .quiet { fill: #9198a1; }
    .service { fill: #3fb68b; } .pgbench { fill: #d29922; } .constant { fill: #4b535d; }
  }
  text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }
  .title { font-size: 17px; font-weight: 600; } .small { font-size: 12px; }`;

interface Bar {
  readonly kind: 'service' | 'pgbench' | 'constant';
  readonly perSecond: number;
  readonly note: string;
}

/** A bar chart of the throughput with the most connections, each scenario beside its baselines of the same run. */
export function drawChart({
  cells,
  machine,
  postgres,
  revision,
  startedAt,
}: Pick<Results, 'cells' | 'machine' | 'postgres' | 'revision' | 'startedAt'>): string {
  const connections = Math.max(...cells.map((cell) => cell.connections));
  const groups = cells.filter((cell) => cell.connections === connections).map((cell) => ({ cell, bars: barsOf(cell) }));
  const longest = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ perSecond }) => perSecond)));
  let y = TOP;
  const drawn = groups.map(({ cell, bars }) => {
    const group = drawGroup(cell, bars, { y, longest });
    y += Math.max(bars.length, titleLines(cell).length) * BAR_STEP + GROUP_GAP;
    return group;
  });
  const height = y + BOTTOM - GROUP_GAP;
  const source = `${machine.cores} × ${machine.cpuModel} · Node ${machine.node} · PostgreSQL ${postgres.version} · revision ${revision} · ${startedAt.slice(0, 10)} · npm run bench`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Requests per second beside baselines">
<style>${STYLE}
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text class="text title" x="24" y="36">Requests per second, ${connections} connections</text>
${drawLegend()}
${drawn.join('\n')}
<text class="quiet small" x="24" y="${height - 18}">${escapeXml(source)}</text>
</svg>
`;
}

function barsOf({ figures, constant, pgbenchPerSecond }: Cell): Bar[] {
  const times = (reference: number) => (reference > 0 ? `service ${(figures.perSecond / reference).toFixed(2)}×` : '');
  return [
    { kind: 'service', perSecond: figures.perSecond, note: `p99 ${figures.p99Ms.toFixed(figures.p99Ms < 10 ? 1 : 0)} ms` },
    ...(pgbenchPerSecond === undefined
      ? []
      : [{ kind: 'pgbench', perSecond: pgbenchPerSecond, note: times(pgbenchPerSecond) } as const]),
    { kind: 'constant', perSecond: constant.perSecond, note: times(constant.perSecond) },
  ];
}

function drawGroup(cell: Cell, bars: readonly Bar[], { y, longest }: { y: number; longest: number }): string {
  const label = titleLines(cell).map((line, index) => {
    const style = index === 0 ? 'text' : 'quiet small';
    return `<text class="${style}" x="24" y="${y + 12 + index * BAR_STEP}">${escapeXml(line)}</text>`;
  });
  const drawn = bars.map(({ kind, perSecond, note }, index) => {
    const width = Math.max(2, Math.round((perSecond / longest) * BARS_WIDTH));
    const top = y + index * BAR_STEP;
    const end = LABEL_WIDTH + width + 8;
    return `<rect class="${kind}" x="${LABEL_WIDTH}" y="${top}" width="${width}" height="${BAR_HEIGHT}" rx="2"/><text x="${end}" y="${top + 12}"><tspan class="text small">${whole(perSecond)}</tspan><tspan class="quiet small" dx="8">${note}</tspan></text>`;
  });
  return [...label, ...drawn].join('\n');
}

/** What a mix is made of stands below its name. */
function titleLines({ scenario }: Cell): string[] {
  const [, name, parts] = /^(mix) (.*)$/.exec(SCENARIOS[scenario].title) ?? [];
  return name && parts ? [name, ...parts.split(/(?<=, .*), /)] : [SCENARIOS[scenario].title];
}

function drawLegend(): string {
  const entries = [
    ['service', 'the service, every write durable'],
    ['pgbench', 'pgbench, the same rows one by one'],
    ['constant', 'a Fastify route answering a constant'],
  ] as const;
  let x = 24;
  return entries
    .map(([kind, text]) => {
      const at = x;
      x += 44 + text.length * 6.5;
      return `<rect class="${kind}" x="${at}" y="54" width="12" height="12" rx="2"/><text class="quiet small" x="${at + 18}" y="64">${text}</text>`;
    })
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
