/** A session that ends while something is typed: behind the sign-in it is not lost unasked, and whoever comes back finds it. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { PASSWORD, signedInOperator } from '../../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const NEW_RULE = ['nav a[href="/rules"]', '.page-actions button'] as const;

const WORDS = {
  en: { version: 'Version', typed: 'is not saved', stay: 'Stay', leave: 'Leave without saving', signIn: 'Sign in' },
  ar: { version: 'الإصدار', typed: 'غير محفوظ', stay: 'البقاء', leave: 'المغادرة دون حفظ', signIn: 'تسجيل الدخول' },
} as const;

/** A page of an administrator to which these elements lead from the list of partners, and the ways to end the session and to begin one anew. */
async function openBy(steps: readonly string[], language: 'en' | 'ar' = 'en') {
  const { cookie, email } = await signedInOperator(service, 'admin');
  const page = await browser.open({ language });
  const [name = '', value = ''] = cookie.split('=');
  await page
    .context()
    .addCookies([{ name, value, domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' }]);
  await page.clock.install();
  await page.goto(`${browser.baseUrl}/partners`);
  // By links of the console, so that Back loads no page.
  for (const step of steps) await page.locator(step).first().click();
  const endSession = async () => {
    await page.context().clearCookies();
    // The session is read four times a minute.
    await page.clock.fastForward(16_000);
    await page.locator('[data-sign-in]').waitFor();
  };
  const signIn = async () => {
    await page.locator('input[autocomplete=username]').fill(email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: WORDS[language].signIn, exact: true }).click();
    await page.locator('[data-sign-in]').waitFor({ state: 'detached' });
  };
  return { page, endSession, signIn, question: page.getByRole('dialog'), back: () => page.evaluate('history.back()') };
}

describe('what was typed before the session ended', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`is asked about by Back and by a reload, and is there after the sign-in, ${language}`, async () => {
      const t = WORDS[language];
      const { page, endSession, signIn, question, back } = await openBy(NEW_RULE, language);
      const version = page.getByRole('main').getByRole('textbox', { name: t.version, exact: true });
      await version.fill('spring-1');
      await endSession();
      await back();
      await question.getByText(t.typed).waitFor();
      await question.getByRole('button', { name: t.stay }).click();
      await question.waitFor({ state: 'detached' });
      const stayed = browser.answerLeaving(page, 'stay');
      await page.evaluate('setTimeout(() => location.reload())');
      await stayed;
      await signIn();
      assert.equal(await version.inputValue(), 'spring-1');
      assert.match(page.url(), /\/rules\/new$/);
      await back();
      await question.getByRole('button', { name: t.leave }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.match(page.url(), /\/rules$/);
    });

  test('is left behind the sign-in by who says so, who comes to the other page', async () => {
    const { page, endSession, signIn, question, back } = await openBy(NEW_RULE);
    await page.getByRole('main').getByRole('textbox', { name: 'Version', exact: true }).fill('spring-1');
    await endSession();
    await back();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await question.waitFor({ state: 'detached' });
    await page.waitForURL(/\/rules$/);
    await signIn();
    await page.getByRole('heading', { level: 1, name: 'Rules', exact: true }).waitFor();
    await page.reload();
  });

  test('is not asked about where there is nothing, and the sign-in leads to the page to which Back went', async () => {
    const { page, endSession, signIn, back } = await openBy(NEW_RULE);
    await endSession();
    await back();
    await page.waitForURL(/\/rules$/);
    await signIn();
    await page.getByRole('heading', { level: 1, name: 'Rules', exact: true }).waitFor();
  });
});

test('a key that was not copied before the session ended is asked about too', needsBrowser, async () => {
  const own = `/partners/${partner.partnerId}`;
  const { page, endSession, question, back } = await openBy([`a[href="${own}"]`, `a[href="${own}/set-up"]`]);
  await page.getByRole('button', { name: 'Issue another key' }).click();
  await page.getByRole('button', { name: 'Issue a key' }).click();
  await page.locator('.secret').waitFor();
  await endSession();
  await back();
  await question.getByText('a secret that is shown once and is not copied yet').waitFor();
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
});
