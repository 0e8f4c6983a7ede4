/** What the page that is shown holds, and nothing keeps: what was typed, or a secret. It is not left unasked. */
import { useEffect, useId, useSyncExternalStore } from 'react';

/** What would be lost with the page. */
export type Unsaved = 'typed' | 'secret';

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

/** What of the page would be lost, the secret first; `undefined` where nothing would. */
export function useHeld(): Unsaved | undefined {
  return useSyncExternalStore(subscribe, () => {
    const all = mayBeLost ? [] : [...held.values()];
    return all.find((what) => what === 'secret') ?? all[0];
  });
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
