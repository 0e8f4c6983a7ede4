/** Where the keyboard goes on when what had the focus goes: a row that was decided, a step that was taken, a page that was left. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

const PAGE = '#content';
/** A field with a list opens it as it gets the focus. */
const FIELD_WITH_LIST = 'input[aria-haspopup]';
const CONTROL = `a[href], button:not(:disabled), input:not(:disabled, ${FIELD_WITH_LIST})`;
/** As many elements of the page as are looked back to. */
const REMEMBERED_MAX = 8;

interface Place {
  readonly element: HTMLElement;
  /** Of a list: its own row, the rows below and then those above, from the nearest on. */
  readonly rows: readonly Element[];
  /** Of its row, the cell in which it is. */
  readonly cell: number;
  /** What it stands in, from the innermost on; without what holds the whole page. */
  readonly parts: readonly Element[];
}

/** The latest is the last. What a pointer leaves for a text is not come back to. */
const remembered: Place[] = [];

/** On the title of a page that was opened; in a list from which a page was opened, on its row. */
export function useKeptFocus(): void {
  const router = useRouter();
  useEffect(() => {
    const page = document.querySelector(PAGE) as Element;
    const observer = new MutationObserver(() => {
      const last = remembered.at(-1);
      if (last && document.activeElement === document.body && !canHaveFocus(last.element)) focusNear();
    });
    observer.observe(page, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    document.addEventListener('pointerdown', forget);
    const leave = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      if (fromLocation && pathChanged) focusPage(fromLocation.pathname);
    });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', forget);
      leave();
    };
  }, [router]);
}

/** Gives the focus to what is nearest to where it was last; the page does not move. */
export function focusNear(): void {
  const near = remembered.findLast((place) => nearestOf(place));
  const found = (near && nearestOf(near)) ?? titleOfPage();
  found?.focus({ preventScroll: true });
}

export function canHaveFocus(element: Element): boolean {
  return element.isConnected && element.checkVisibility() && !element.matches(':disabled') && !element.closest('[inert]');
}

function remember({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement) || !target.closest(PAGE)) return;
  const row = target.closest('tbody > tr');
  const all = [...(row?.parentElement?.children ?? [])];
  const at = row ? all.indexOf(row) : 0;
  const rows = [...all.slice(at), ...all.slice(0, at).reverse()];
  const cell = [...(row?.children ?? [])].findIndex((each) => each.contains(target));
  remembered.push({ element: target, rows, cell, parts: partsAround(target) });
  if (remembered.length > REMEMBERED_MAX) remembered.shift();
}

function partsAround(element: Element): Element[] {
  const part = element.parentElement?.closest(`${PAGE} > * *`);
  return part ? [part, ...partsAround(part)] : [];
}

function forget({ target }: PointerEvent): void {
  if (target instanceof Element && !target.closest(CONTROL)) remembered.length = 0;
}

/** The element itself; else the control in its place in the nearest row that is left, or what is left of the part in which it stood. */
function nearestOf({ element, rows, cell, parts }: Place): HTMLElement | undefined {
  if (canHaveFocus(element)) return element.matches(FIELD_WITH_LIST) ? undefined : element;
  for (const row of rows) {
    const found = row.isConnected ? (controlIn(row.children[cell]) ?? controlIn(row)) : undefined;
    if (found) return found;
  }
  const left = parts.filter(({ isConnected }) => isConnected);
  return left.map(beginningOf).find((found) => found !== undefined);
}

/** The title of a page, the first field of a form that was opened there, or what can be done first. */
function beginningOf(part: Element): HTMLElement | undefined {
  return part.querySelector('h1') ?? controlIn(part.querySelector('form')) ?? controlIn(part);
}

function controlIn(part: Element | null | undefined): HTMLElement | undefined {
  return [...(part?.querySelectorAll<HTMLElement>(CONTROL) ?? [])].find(canHaveFocus);
}

function titleOfPage(): HTMLElement | null {
  return document.querySelector(`${PAGE} h1`);
}

function focusPage(from: string): void {
  remembered.length = 0;
  const row = document.querySelector<HTMLElement>(`${PAGE} .record-link[href="${CSS.escape(from)}"]`);
  if (row) row.focus();
  else titleOfPage()?.focus({ preventScroll: true });
}
