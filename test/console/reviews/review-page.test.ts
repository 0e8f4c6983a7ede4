/** What the page of a review says after its decision, and what the dialog of one is about. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { confirmPendingContribution } from '../../../src/operations/contributions/resolve-pending-contribution.ts';
import { OWNER, signedIn } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { goWithin } from '../../support/console/go-within.ts';
import { insertContributionRule } from '../../support/rules.ts';
import { OPEN_RATES } from '../../support/service.ts';

const made: { readonly partnerId: string }[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      const partner = await createPartner(database, OWNER, 'Dubai Shop', { ...OPEN_RATES, timeZone: 'Asia/Dubai' });
      await insertContributionRule(database, { partnerId: partner.partnerId, reviews_everything: true });
      made.push(partner);
    });
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const factOf = (page: Page, name: string) => page.locator('dl > div').filter({ hasText: name }).locator('dd');

describe('a decided review', needsBrowser, () => {
  for (const [language, decided, by, city] of [
    ['en', /^Decided(?! by)/, 'Decided by', 'Dubai'],
    ['ar', /^وقت البتّ/, 'بتّ فيها', 'دبي'],
  ] as const)
    test(`says when it was decided, in the time of the partner, beside who decided, ${language}`, async () => {
      const [{ partnerId }] = made as [{ readonly partnerId: string }];
      const { client } = await service.newPartner({ of: { partnerId } as never });
      const { status, body } = await client.confirm(newConfirmation());
      assert.equal(status, 202);
      const transactionId: string = body.contribution.transaction_id;
      const page = await browser.signedIn('viewer', { language });
      const address = `${browser.baseUrl}/reviews/${partnerId}/${transactionId}`;
      const facts = page.locator('dl > div').filter({ has: page.locator('dt', { hasText: decided }) });
      await page.goto(address);
      await page.locator('dl').getByText(city).first().waitFor();
      assert.equal(await facts.count(), 0, 'the review waits');
      await confirmPendingContribution(service.database, signedIn('operator'), { partnerId, transactionId }, 'Known order.');
      const { rows } = await service.database.pool.query<{ at: Date }>(
        'select resolved_at as at from contribution_review where transaction_id = $1',
        [transactionId],
      );
      await page.reload();
      const time = facts.locator('dd time');
      assert.equal(await time.getAttribute('datetime'), rows[0]?.at.toISOString());
      await time.getByText(city).waitFor();
      await factOf(page, by).waitFor();
    });
});

describe('the dialog of a decision', needsBrowser, () => {
  for (const [language, fail] of [
    ['en', 'Fail'],
    ['ar', 'تسجيل الفشل'],
  ] as const)
    test(`names the order and the partner, and goes with its review when another one is opened, ${language}`, async () => {
      const [other, shown] = [await newPending(), await newPending()];
      const pathOf = ({ transactionId }: typeof other) => `/reviews/${partner.partnerId}/${transactionId}`;
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}${pathOf(other)}`);
      await page.getByRole('heading', { level: 1 }).getByText(other.order).waitFor();
      await goWithin(page, pathOf(shown));
      await page.getByRole('main').getByRole('button', { name: fail, exact: true }).click();
      const dialog = page.getByRole('dialog');
      for (const named of [shown.order, 'Souq Express']) await dialog.getByText(named).waitFor();
      await page.evaluate('history.back()');
      await page.getByRole('heading', { level: 1 }).getByText(other.order).waitFor();
      await dialog.waitFor({ state: 'detached' });
    });
});
