/** What is typed on the page that is shown, and is saved nowhere: its form says so, and the page is not left unasked. */
import { useEffect, useId, useSyncExternalStore } from 'react';

const forms = new Set<string>();
const listeners = new Set<() => void>();
let mayBeLost = false;

function tell(): void {
  for (const listener of listeners) listener();
}

/** @param isUnsaved Whether what the form holds would be lost with the page. */
export function useUnsaved(isUnsaved: boolean): void {
  const id = useId();
  useEffect(() => {
    if (!isUnsaved) return;
    forms.add(id);
    tell();
    return () => {
      forms.delete(id);
      tell();
    };
  }, [id, isUnsaved]);
}

/** Whether a form of the page has something that would be lost. */
export function useHasUnsaved(): boolean {
  return useSyncExternalStore(subscribe, () => forms.size > 0 && !mayBeLost);
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
