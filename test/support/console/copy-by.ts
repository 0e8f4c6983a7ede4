import type { Locator, Page } from 'playwright-core';

/** What a button that has copied is called for two seconds. */
const COPIED = /^(?:Copied|نُسخ)\.?$/;

/** Copies by a button, until it says so: before that the clipboard has something else, and a secret is one that is lost with its page. */
export async function copyBy(within: Page | Locator, name: string): Promise<void> {
  await Promise.all([
    within.getByRole('button', { name: COPIED }).waitFor(),
    within.getByRole('button', { name, exact: true }).click(),
  ]);
}
