/** What is chosen in a list. It is kept beside what is drawn: a tick draws anew what shows it, and not the list. */
import { useState, useSyncExternalStore } from 'react';

/** By their keys. */
export type ChosenRows<Row> = ReadonlyMap<string, Row>;

export interface Chosen<Row> {
  readonly get: () => ChosenRows<Row>;
  readonly set: (rows: ChosenRows<Row>) => void;
  readonly subscribe: (tell: () => void) => () => void;
}

/** Of one list, as long as it is shown. Where `filter` names what it is filtered by, nothing of another filter stays chosen. */
export function useChosen<Row>(filter = ''): Chosen<Row> {
  const [kept, setKept] = useState(() => ({ filter, chosen: begin<Row>() }));
  if (kept.filter === filter) return kept.chosen;
  const anew = { filter, chosen: begin<Row>() };
  setKept(anew);
  return anew.chosen;
}

export function useChosenRows<Row>({ subscribe, get }: Chosen<Row>): ChosenRows<Row> {
  return useSyncExternalStore(subscribe, get);
}

export function useIsChosen<Row>({ subscribe, get }: Chosen<Row>, key: string): boolean {
  return useSyncExternalStore(subscribe, () => get().has(key));
}

function begin<Row>(): Chosen<Row> {
  let rows: ChosenRows<Row> = new Map();
  const listeners = new Set<() => void>();
  return {
    get: () => rows,
    set(now) {
      rows = now;
      for (const tell of listeners) tell();
    },
    subscribe(tell) {
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
  };
}
