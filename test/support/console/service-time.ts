import type { Page } from 'playwright-core';

/** Until the test ends every answer that the page gets says that it is so late, as if the clock of the service were there. */
export async function setServiceTime(page: Page, at: number): Promise<void> {
  await page.route('**/operator/v1/**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), date: new Date(at).toUTCString() } });
  });
}
