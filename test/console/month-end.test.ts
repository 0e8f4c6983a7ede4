/** What a person finds in the console at the end of a month: what a partner disputes, and what its list lacks. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { closeThrough, getOpen, newSettledPartner } from '../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('the close of a month', needsBrowser, () => {
  test('names every settlement that the partner disputes, the one before the last too, and leads to it', async () => {
    const { partner, partnerId, client, open: first } = await newSettledPartner(service);
    await closeThrough(service, first);
    const second = await getOpen(service.database, partnerId);
    await closeThrough(service, second);
    await client.post(`/v1/settlements/${first.settlementId}/acknowledgement`, { status: 'disputed' });
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/closings?name=${partner.name}`);
    const disputed = page.getByRole('row').filter({ hasText: partner.name }).locator('[data-label="Disputed settlements"]');
    await disputed.getByRole('link', { name: first.period.label, exact: true }).waitFor();
    assert.equal(await disputed.getByRole('link').count(), 1);
    await page.getByRole('row').filter({ hasText: partner.name }).locator('[data-label="Period"]').click();
    const checklist = page.locator('#checklist');
    await checklist.getByText('A dispute does not hold up the close.').waitFor();
    await page.getByRole('button', { name: 'Close now' }).click();
    await page.getByRole('dialog').getByRole('link', { name: first.period.label, exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await checklist.getByRole('link', { name: first.period.label, exact: true }).click();
    await page.getByText('The partner disputes this settlement').waitFor();
    assert.equal(new URL(page.url()).pathname, `/settlements/${partnerId}/${first.settlementId}`);
    await client.post(`/v1/settlements/${first.settlementId}/acknowledgement`, { status: 'accepted' });
    await page.goto(`${browser.baseUrl}/closings?name=${partner.name}`);
    await disputed.getByText('none', { exact: true }).waitFor();
  });
});
