/**
 * Every page of the console, in both languages, both themes and both widths: no barrier, nothing against the policy, no request to
 * another host, and no text of a stranger that is more than text. `SCREENSHOTS=folder` keeps a picture of each.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { confirmPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { findBarriers, needsBrowser, type Screen } from '../support/console/browser.ts';
import { HOSTILE_LINE, openScene, type Scene } from '../support/console/console-scene.ts';
import { OPEN_RATES } from '../support/service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const SCREENS: readonly Required<Screen>[] = [
  { language: 'en', scheme: 'light', width: 1280 },
  { language: 'en', scheme: 'dark', width: 390 },
  { language: 'ar', scheme: 'dark', width: 1280 },
  { language: 'ar', scheme: 'light', width: 390 },
];

describe('every page', needsBrowser, async () => {
  const pages = scene ? await listPages() : [];

  for (const screen of SCREENS) {
    test(`${Object.values(screen).join(', ')}: has no serious barrier, and fits its width`, async () => {
      const page = await browser.signedIn('approver', screen);
      for (const [name, path] of pages) {
        await page.goto(browser.baseUrl + path);
        await page.locator('h1').waitFor();
        await page.waitForLoadState('networkidle');
        assert.deepEqual(await findBarriers(page), [], name);
        const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        assert.ok(Number(excess) <= 0, `${name} is ${excess} pixels wider than the screen`);
        assert.equal(await page.locator('html').getAttribute('dir'), screen.language === 'ar' ? 'rtl' : 'ltr');
        assert.doesNotMatch(await page.locator('body').innerText(), /[٠-٩]/, name);
        const folder = process.env['SCREENSHOTS'];
        if (folder)
          await page.screenshot({ path: join(folder, `${name}-${Object.values(screen).join('-')}.png`), fullPage: true });
      }
    });
  }

  test('before a sign-in: no serious barrier in either language', async () => {
    for (const language of ['en', 'ar'] as const) {
      const page = await browser.open({ language });
      for (const path of ['/', '/sign-in#pi_code_x']) {
        await page.goto(browser.baseUrl + path);
        await page.locator('h1').waitFor();
        assert.deepEqual(await findBarriers(page), [], path);
      }
    }
  });
});

async function listPages(): Promise<[name: string, path: string][]> {
  const { transactionId } = await newPending();
  for (let number = 0; number < 4; number++) await newPending();
  const confirmed = await client.confirm({ partner_event_id: 'evt-confirmed', partner_order_ref: 'order-1001', points: 120 });
  const { transaction_id } = confirmed.body.contribution;
  const { partnerId } = partner;
  return [
    ['overview', '/'],
    ['contributions', `/contributions?partner=${partnerId}`],
    ['contribution', `/contributions/${partnerId}/${transaction_id}`],
    ['reviews', '/reviews'],
    ['review', `/reviews/${partnerId}/${transactionId}`],
    ['adjustments', '/adjustments'],
    ['webhooks', '/webhooks'],
    ['settlements', `/settlements?partner=${partnerId}`],
    ['operators', '/operators'],
    ['audit', '/audit'],
    ['partners', '/partners'],
    ['partner', `/partners/${partnerId}`],
    ['unknown', '/nothing-here'],
  ];
}

describe('texts of strangers', needsBrowser, () => {
  test('are shown as text, whatever they hold, and break no line out of its place', async () => {
    const hostile = await createPartner(service.database, OWNER, HOSTILE_LINE, OPEN_RATES);
    const { transactionId } = await newPending();
    const id = { partnerId: partner.partnerId, transactionId };
    await confirmPendingContribution(service.database, signedIn('operator'), id, HOSTILE_LINE);
    const page = await browser.signedIn('operator', { width: 390 }, HOSTILE_LINE);
    const about = `${partner.partnerId}/${transactionId}`;
    for (const path of [`/reviews/${about}`, `/contributions/${about}`, `/partners/${hostile.partnerId}`, '/partners']) {
      await page.goto(browser.baseUrl + path);
      await page.waitForLoadState('networkidle');
      assert.equal(await page.locator('img[src=x], main script').count(), 0);
      const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      assert.ok(Number(excess) <= 0, `${path} is ${excess} pixels wider than the screen`);
      await page.locator('main').getByText('<script>alert(1)</script>').first().waitFor();
    }
  });
});
