import type { Page } from 'playwright-core';

const UNTIL_DRAWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

/** Waits for transitions; what turns for ever is passed over. */
const UNTIL_STILL = `Promise.all(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
  .map(({ finished }) => finished.catch(() => {})))`;

/** Waits until a page stands as it will stay, after a change of the screen or of its colours. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(UNTIL_DRAWN);
  await page.evaluate(UNTIL_STILL);
}
