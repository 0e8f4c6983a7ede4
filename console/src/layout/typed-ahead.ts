/** The search field gets the focus some milliseconds after the search opens. What is typed meanwhile is taken here, so that it stands in the field. */
import { useWindowEvent } from '@mantine/hooks';
import { createSpotlight } from '@mantine/spotlight';

export const [searchStore, search] = createSpotlight();

interface TypedAhead {
  /** Gives the text after a key from the text before it. */
  readonly onType: (change: (before: string) => string) => void;
  readonly onEnter: () => void;
}

export function useTypedAhead({ onType, onEnter }: TypedAhead): void {
  const take = (event: KeyboardEvent) => {
    const { key, target, ctrlKey, altKey, metaKey, isComposing } = event;
    if (!searchStore.getState().opened || (ctrlKey && !altKey) || metaKey || isComposing || isSearchField(target)) return;
    if (key.length === 1) onType((before) => before + key);
    else if (key === 'Backspace') onType((before) => before.slice(0, -1));
    else if (key === 'Enter') onEnter();
    else return;
    // Neither the page below gets the key, nor the shortcut that would close the search again.
    event.preventDefault();
    event.stopPropagation();
  };
  useWindowEvent('keydown', take, { capture: true });
}

function isSearchField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.mantine-Spotlight-root input') !== null;
}
