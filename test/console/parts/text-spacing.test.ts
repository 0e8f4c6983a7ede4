/** Texts on a screen of 320 pixels, with the spaces between letters, words and lines that a reader may set (WCAG 1.4.10 and 1.4.12). */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { goWithin } from '../../support/console/go-within.ts';
import { untilStill } from '../../support/console/until-still.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser, partner, client, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const SPACED = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }');
  document.adoptedStyleSheets = [sheet];
})()`;

/** Labels of buttons that are cut, and whether the page is wider than the screen. */
const CUT = `[
  ...[...document.querySelectorAll('.mantine-Button-label')]
    .filter((label) => label.checkVisibility() && !label.closest('[inert]'))
    .filter((label) => label.scrollWidth > label.clientWidth + 1 || label.getBoundingClientRect().right > innerWidth)
    .map((label) => label.textContent),
  ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
]`;

describe('on 320 pixels', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`no label of a button is cut, and no page is wider, with wide spaces too, ${language}`, async () => {
      const { transactionId } = await newPending();
      const { body } = await client.confirm({ points: 100 });
      const page = await browser.signedIn('admin', { language });
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(`${browser.baseUrl}/account`);
      const cut: string[] = [];
      for (const path of [
        '/account',
        '/reconciliations/new',
        '/impact/new',
        `/partners/${partner.partnerId}/set-up`,
        `/reviews/${partner.partnerId}/${transactionId}`,
        `/contributions/${partner.partnerId}/${body.contribution.transaction_id}`,
      ]) {
        await goWithin(page, path);
        for (const spaces of ['', SPACED]) {
          if (spaces) await page.evaluate(spaces);
          await untilStill(page);
          const found = (await page.evaluate(CUT)) as string[];
          cut.push(...found.map((text) => `${path} ${spaces && 'spaced '}${text}`));
        }
        await page.evaluate('document.adoptedStyleSheets = []');
      }
      assert.deepEqual(cut, []);
    });
});
