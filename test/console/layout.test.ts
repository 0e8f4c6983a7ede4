/** Where things stand: nothing that comes next is covered. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { endpointTools, newEndpoint } from '../support/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

const isApart = (one: Box, other: Box) =>
  one.x + one.width <= other.x ||
  other.x + other.width <= one.x ||
  one.y + one.height <= other.y ||
  other.y + other.height <= one.y;

/** What a person may want next on the page, where it can be seen. */
async function boxesOf(page: Page): Promise<Box[]> {
  const boxes = await Promise.all(
    (await page.locator('main :is(a, button, input, tbody tr)').all()).map((each) => each.boundingBox()),
  );
  return boxes.flatMap((box) => (box && box.width > 0 ? [box] : []));
}

describe('what was done', needsBrowser, async () => {
  for (const language of ['en', 'ar'] as const)
    for (const width of [1280, 390] as const)
      test(`covers no row and no button, ${language}, ${width}`, async () => {
        const { partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
        const page = await browser.signedIn('operator', { language, width });
        await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
        await page.getByRole('button', { name: language === 'en' ? 'Send a test' : 'إرسال اختبار' }).click();
        const toast = page.locator('.mantine-Notification-root');
        await toast.waitFor();
        const box = (await toast.boundingBox()) as Box;
        const covered = (await boxesOf(page)).filter((each) => !isApart(box, each));
        assert.deepEqual(covered, [], JSON.stringify(box));
        assert.ok(box.x >= 0 && box.x + box.width <= width);
      });
});
