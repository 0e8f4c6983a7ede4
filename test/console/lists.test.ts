/** The orders and filters of lists: a heading, the choice on a narrow screen, and the address of the page say the same. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { OPEN_RATES } from '../support/service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const NAMES = ['Zad Market', 'Amber Sweets', 'Malaz Books'];
if (scene) for (const name of NAMES) await createPartner(service.database, OWNER, name, OPEN_RATES);

const namesIn = async (page: Page) =>
  (await page.locator('table tbody tr td:first-child').allInnerTexts()).filter((name) => NAMES.includes(name));

describe('the list of partners', needsBrowser, () => {
  test('a heading sorts it, the address keeps the order, and Back undoes it', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners`);
    const heading = page.getByRole('columnheader', { name: 'Name' });
    await heading.getByRole('button').click();
    await page.waitForURL(/sort=name/);
    await page.getByRole('row').filter({ hasText: 'Amber' }).waitFor();
    await page.waitForFunction("document.querySelector('th[aria-sort=ascending]') !== null");
    assert.deepEqual(await namesIn(page), NAMES.toSorted());
    await heading.getByRole('button').click();
    await page.waitForURL(/sort=-name/);
    await page.locator('th[aria-sort=descending]').waitFor();
    assert.deepEqual(await namesIn(page), NAMES.toSorted().toReversed());
    await page.reload();
    await page.locator('th[aria-sort=descending]').waitFor();
    assert.deepEqual(await namesIn(page), NAMES.toSorted().toReversed());
    await page.goBack();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await page.goBack();
    await page.getByRole('row').filter({ hasText: 'Amber' }).waitFor();
    assert.deepEqual(await namesIn(page), NAMES);
  });

  test('on a narrow screen a choice sorts it', async () => {
    const page = await browser.signedIn('viewer', { width: 390 });
    await page.goto(`${browser.baseUrl}/partners`);
    await page.getByRole('combobox', { name: 'Sort by' }).click();
    await page.getByRole('option', { name: 'Name: A to Z' }).click();
    await page.waitForURL(/sort=name/);
    await page.getByText('Amber Sweets').waitFor();
    assert.deepEqual(await namesIn(page), NAMES.toSorted());
  });

  test('the button that clears the filters takes back what was typed a moment before', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners?status=active`);
    const clear = page.getByRole('button', { name: 'Clear filters' });
    await clear.waitFor();
    const typed = page.getByLabel('A part of the name');
    await typed.fill('malaz');
    await clear.click();
    await page.waitForURL((url) => url.search === '');
    assert.equal(await typed.inputValue(), '');
    // Longer than typing waits before it is sent.
    await page.waitForTimeout(500);
    assert.equal(new URL(page.url()).search, '');
  });

  test('filters are in the address, and one button clears them', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners?status=suspended`);
    await page.getByText('No partner').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Zad Market').waitFor();
    assert.equal(new URL(page.url()).search, '');
    await page.getByLabel('A part of the name').fill('malaz');
    await page.waitForURL(/name=malaz/);
    await page.getByText('Zad Market').waitFor({ state: 'detached' });
    await page.getByText('Malaz Books').waitFor();
    assert.deepEqual(await namesIn(page), ['Malaz Books']);
    await page.goBack();
    await page.getByText('Zad Market').waitFor();
    assert.equal(await page.getByLabel('A part of the name').inputValue(), '');
  });
});
