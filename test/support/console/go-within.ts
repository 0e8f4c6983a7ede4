import type { Page, Request } from 'playwright-core';
import { waitFor } from '../assertions/wait-for.ts';

/** One answer leads to the next question within this time. */
const QUIET_MS = 100;
/** Bounds a test that would otherwise hang, and measures nothing. */
const WITHIN_MS = 60_000;

/** The program of the page that goes to an address, as when Back was used, and now Forward: the page that is shown follows its address. */
const goTo = (href: string) =>
  `history.pushState(null, '', ${JSON.stringify(href)}); dispatchEvent(new PopStateEvent('popstate'));`;

/** Until the title is that of another page, or another text. */
const goToAnother = (href: string) => `new Promise((resolve, reject) => {
  const before = document.querySelector('h1');
  const text = before?.textContent;
  const look = () => {
    const now = document.querySelector('h1');
    if (now === null || (now === before && now.textContent === text)) return;
    observer.disconnect();
    resolve();
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => reject(new Error('The title is that of the page before.')), ${WITHIN_MS});
  ${goTo(href)}
})`;

/**
 * Shows another page of the console as a link leads to it, until nothing is asked for: the program stays, so that it takes a third of the
 * processor time of a load.
 */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.locator('h1').first().waitFor();
  const context = page.context();
  const open = new Set<Request>();
  let lastAt = performance.now();
  const begin = (request: Request) => void open.add(request);
  const end = (request: Request) => {
    open.delete(request);
    lastAt = performance.now();
  };
  context.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  try {
    const isSamePage = new URL(page.url()).pathname === new URL(path, page.url()).pathname;
    await page.evaluate(isSamePage ? goTo(path) : goToAnother(path));
    lastAt = performance.now();
    await waitFor(`end of the questions of ${path}`, () => open.size === 0 && performance.now() - lastAt > QUIET_MS);
  } finally {
    context.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  }
}

export function showAddress(page: Page, href: string): Promise<void> {
  return page.evaluate(goTo(href));
}
