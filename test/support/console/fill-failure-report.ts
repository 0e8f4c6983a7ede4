import type { Page } from 'playwright-core';
import { uniqueId } from '../client.ts';
import { choose } from './choose.ts';
import type { Scene } from './console-scene.ts';

/**
 * Opens the report of a refused event, and fills it in.
 *
 * @returns The event of the report, which is ready to be sent.
 */
export async function fillFailureReport(page: Page, { browser, partner }: Pick<Scene, 'browser' | 'partner'>): Promise<string> {
  await page.goto(`${browser.baseUrl}/failures`);
  await page.getByRole('button', { name: 'Report a refused event' }).click();
  const dialog = page.getByRole('dialog');
  const event = uniqueId('event');
  await choose(dialog, { field: 'Partner', option: partner.name });
  await dialog.getByLabel('Event id of the partner').fill(event);
  await dialog.getByLabel('Order').fill(uniqueId('order'));
  await dialog.getByLabel('Points that the partner took').fill('25');
  await dialog.getByLabel('Reason').fill('Another contribution holds the order.');
  return event;
}
