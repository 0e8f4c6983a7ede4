import { availableParallelism } from 'node:os';
import type { Installation } from '../subject/installation.ts';
import type { Part, Placement } from './model.ts';
import { pin } from './pin.ts';

const PARTS: readonly Part[] = ['service', 'database', 'load'];
/** By their numbers. */
export const ALL_CORES: readonly number[] = Array.from({ length: availableParallelism() }, (_, core) => core);
const [FIRST = 0, ...OTHERS] = ALL_CORES;

export interface PlacedParts extends Placement {
  readonly cores: Readonly<Record<Part, readonly number[]>>;
}

/** Everything on all cores, as a machine runs it by itself. */
export function placeOnAll(processes: number, connections: number): PlacedParts {
  return placeTogether(ALL_CORES, processes, connections);
}

/** One process of the service and its surroundings on fewer cores than there are; nothing on a machine with one core. */
export function listNarrowPlacements(connections: number): PlacedParts[] {
  if (OTHERS.length === 0) return [];
  return [placeTogether([FIRST], 1, connections), placeApart('service', connections), placeApart('database', connections)];
}

function placeTogether(cores: readonly number[], processes: number, connections: number): PlacedParts {
  return {
    name: cores.length === 1 ? 'all parts on 1 core' : `all parts on ${cores.length} cores`,
    processes,
    connections,
    groups: [{ cores: cores.length, parts: PARTS }],
    cores: { service: cores, database: cores, load: cores },
  };
}

function placeApart(part: 'service' | 'database', connections: number): PlacedParts {
  const rest = PARTS.filter((each) => each !== part);
  return {
    name: `${part === 'service' ? 'the service' : 'PostgreSQL'} on 1 core, the rest on ${OTHERS.length}`,
    processes: 1,
    connections,
    groups: [
      { cores: 1, parts: [part] },
      { cores: OTHERS.length, parts: rest },
    ],
    cores: { service: OTHERS, database: OTHERS, load: OTHERS, [part]: [FIRST] },
  };
}

/** This process starts the load. */
export function place({ subject, server }: Installation, { cores }: Pick<PlacedParts, 'cores'>): void {
  pin(subject.pid, cores.service, server.pid);
  if (server.pid !== undefined) pin(server.pid, cores.database);
  pin(process.pid, cores.load, subject.pid);
}
