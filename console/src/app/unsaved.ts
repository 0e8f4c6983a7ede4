/** What the page that is shown holds, and nothing keeps: what was typed, a change under way, a secret, or the only way to one. It is not left unasked. */
import { useEffect, useId, useState, useSyncExternalStore } from 'react';

/** What would be lost with the page, the worst first; `doubt` of a secret whose answer did not come, `underWay` of a change of a dialog. */
const KINDS = ['secret', 'doubt', 'underWay', 'typed'] as const;
export type Unsaved = (typeof KINDS)[number];

const held = new Map<string, Unsaved>();
const listeners = new Set<() => void>();
let mayBeLost = false;

function tell(): void {
  for (const listener of listeners) listener();
}

/** @param isHeld Whether there is something that would be lost with the page. */
export function useUnsaved(isHeld: boolean, what: Unsaved = 'typed'): void {
  const id = useId();
  useEffect(() => {
    if (!isHeld) return;
    held.set(id, what);
    tell();
    return () => {
      held.delete(id);
      tell();
    };
  }, [id, isHeld, what]);
}

/** The worst of what would be lost with the page; `undefined` where nothing would. */
export function useHeld(): Unsaved | undefined {
  return useSyncExternalStore(subscribe, () => worstOf(KINDS));
}

/** Of a page that is hidden, which ends the effects by which it holds something: it is held for it until the page is shown. */
export function useHeldOfHidden(isHidden: boolean): void {
  // What was under way has ended.
  const now = useSyncExternalStore(subscribe, () => worstOf(['secret', 'doubt', 'typed']));
  const [shown, setShown] = useState(now);
  if (!isHidden && shown !== now) setShown(now);
  useUnsaved(isHidden && shown !== undefined, shown);
}

function worstOf(kinds: readonly Unsaved[]): Unsaved | undefined {
  const all = mayBeLost ? [] : [...held.values()];
  return kinds.find((kind) => all.includes(kind));
}

/** The person said that all of it may be lost, or the page stays after all. */
export function setMayBeLost(value: boolean): void {
  mayBeLost = value;
  tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
