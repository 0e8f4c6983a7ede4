/** A one-time link whose answer was lost: it may be used, and what it set signs in. Nobody is told to ask for another link first. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { needsBrowser, newPerson } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { PASSWORD } from '../../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** The service does what is asked for at an address, and its first answer does not arrive. */
async function loseFirstAnswer(page: Page, url: RegExp): Promise<void> {
  let isLost = false;
  await page.route(url, async (route) => {
    if (isLost) return route.fallback();
    isLost = true;
    // Where its cookie is kept, the page would be signed in by a reload.
    const cookies = await page.context().cookies();
    await route.fetch();
    await page.context().clearCookies();
    await page.context().addCookies(cookies);
    await route.abort();
  });
}

async function openLink(language: 'en' | 'ar') {
  const person = await newPerson(service, 'viewer');
  const page = await browser.open({ language });
  await page.goto(`${browser.baseUrl}/sign-in#${person.code}`);
  const passwords = page.locator('input[type=password]');
  await passwords.first().waitFor();
  const setPassword = async () => {
    for (const field of await passwords.all()) await field.fill(PASSWORD);
    await page.locator('form:has(input[type=password]) button[type=submit]').click();
  };
  return { ...person, page, setPassword };
}

const WORDS = {
  en: {
    password: 'the password may be set',
    passkey: 'the passkey may be added',
    choosePasskey: 'Use a passkey instead',
    signIn: 'Sign in',
    used: 'This one-time link is not valid',
    repeat: 'is not made twice',
  },
  ar: {
    password: 'ربما عُيّنت كلمة المرور',
    passkey: 'ربما أُضيف مفتاح المرور',
    choosePasskey: 'استخدام مفتاح مرور بدلًا منها',
    signIn: 'تسجيل الدخول',
    used: 'هذا الرابط غير صالح',
    repeat: 'ما تم لا يتكرر',
  },
} as const;

describe('a one-time link of which the answer was lost', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const) {
    const t = WORDS[language];
    test(`says that the password may be set, also after the link is refused, and leads to the sign-in, ${language}`, async () => {
      const { page, email, setPassword } = await openLink(language);
      await loseFirstAnswer(page, /\/session\/link$/);
      const alert = page.getByRole('alert').filter({ hasText: t.password });
      await setPassword();
      await alert.waitFor();
      const refused = page.waitForResponse(/\/session\/link$/);
      await setPassword();
      assert.equal((await refused).status(), 401);
      await alert.waitFor();
      for (const wrong of [t.used, t.repeat]) assert.equal(await page.getByText(wrong).count(), 0);
      await alert.getByRole('link', { name: t.signIn }).click();
      await page.locator('input[autocomplete=username]').fill(email);
      await page.locator('input[type=password]').fill(PASSWORD);
      await page.getByRole('button', { name: t.signIn, exact: true }).click();
      await page.getByRole('navigation').first().waitFor();
    });

    test(`says that the passkey may be added, also after the link is refused, ${language}`, async () => {
      const { page } = await openLink(language);
      const session = await page.context().newCDPSession(page);
      await session.send('WebAuthn.enable');
      await session.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await loseFirstAnswer(page, /\/session\/link\/passkey$/);
      const alert = page.getByRole('alert').filter({ hasText: t.passkey });
      const choose = page.getByRole('button', { name: t.choosePasskey });
      await choose.click();
      await alert.waitFor();
      const refused = page.waitForResponse(/\/session\/link\/passkey\/begin$/);
      await choose.click();
      assert.equal((await refused).status(), 401);
      await alert.waitFor();
      for (const wrong of [t.used, t.repeat]) assert.equal(await page.getByText(wrong).count(), 0);
    });
  }

  test('says of a link that was used before that it is not valid', async () => {
    const { page, code, setPassword } = await openLink('en');
    const answer = await page.request.post(`${browser.baseUrl}/operator/v1/session/link`, { data: { code, password: PASSWORD } });
    assert.equal(answer.status(), 200, await answer.text());
    await setPassword();
    await page.getByRole('alert').getByText(WORDS.en.used).waitFor();
    assert.equal(await page.getByText(WORDS.en.password).count(), 0);
  });

  test('says of a password that was refused why it was', async () => {
    const { page, setPassword } = await openLink('en');
    await page.route(/\/session\/link$/, (route) => route.abort(), { times: 1 });
    await setPassword();
    await page.getByRole('alert').getByText(WORDS.en.password).waitFor();
    for (const field of await page.locator('input[type=password]').all()) await field.fill('aaaaaaaaaaaaaaa');
    await page.locator('form:has(input[type=password]) button[type=submit]').click();
    await page.getByRole('alert').getByText('different').waitFor();
  });
});
