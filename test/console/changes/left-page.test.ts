/** A change that is under way when its page is left: the person is asked first, and told what became of it afterwards. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { createPartner, suspendPartner } from '../../../src/operations/access/manage-partner.ts';
import { OWNER } from '../../support/actor.ts';
import { uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const WORDS = {
  en: {
    edit: 'Edit the partner',
    suspend: 'Suspend',
    partners: 'Partners',
    asked: 'A change is under way',
    leave: 'Leave now',
    stay: 'Stay',
    notMade: 'The change was not completed.',
  },
  ar: {
    edit: 'تعديل بيانات الشريك',
    suspend: 'إيقاف',
    partners: 'الشركاء',
    asked: 'ما زال تغيير قيد التنفيذ',
    leave: 'المغادرة الآن',
    stay: 'البقاء',
    notMade: 'لم يكتمل التغيير.',
  },
} as const;

const REFUSAL = 'The partner is in an audit of its own.';
const refuse = (route: Route) =>
  route.fulfill({ status: 409, json: { error: { code: 'invalid_request', message: REFUSAL, details: [] } } });

/** As for who may not do it any more: before the key of the change is looked at. */
const refuseBefore = (route: Route, status: number, details: readonly object[] = []) =>
  route.fulfill({ status, json: { error: { code: 'forbidden', message: 'Your role does not allow this.', details } } });

/** The same person comes back after it: a message waits behind the sign-in. */
async function endSession(route: Route): Promise<void> {
  const page = route.request().frame().page();
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await refuseBefore(route, 401);
  await page.locator('[data-sign-in]').waitFor();
  await page.context().addCookies(cookies);
  // The session is read four times a minute.
  await page.clock.fastForward(20_000);
  await page.locator('[data-sign-in]').waitFor({ state: 'detached' });
}

async function cancelStepUp(route: Route): Promise<void> {
  await refuseBefore(route, 403, [{ field: 'session', code: 'sign_in_again', message: 'Sign in again.' }]);
  const again = route.request().frame().page().getByRole('dialog', { name: 'Confirm that it is you' });
  await again.waitFor();
  await again.page().keyboard.press('Escape');
}

/** A request that waits until the test says how it is answered. */
async function hold(page: Page, url: RegExp, method: string) {
  const asked = Promise.withResolvers<Route>();
  await page.route(url, (route) => (route.request().method() === method ? asked.resolve(route) : route.fallback()));
  return asked.promise;
}

/** Suspends a partner, whose page was opened from the list; the step waits for its answer, or for what it reads first. */
async function suspendSlowly({ language = 'en', of = 'step' }: { language?: 'en' | 'ar'; of?: 'step' | 'read' } = {}) {
  const t = WORDS[language];
  const name = uniqueId('Slow');
  const { partnerId } = await createPartner(service.database, OWNER, name, OPEN_RATES);
  const page = await browser.signedIn('operator', { language });
  await page.clock.install();
  await page.goto(`${browser.baseUrl}/partners`);
  await page.getByRole('main').getByRole('link', { name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('button', { name: t.edit }).click();
  await page.getByRole('menuitem', { name: t.suspend, exact: true }).click();
  const dialog = page.getByRole('dialog');
  const send = dialog.getByRole('button', { name: t.suspend, exact: true });
  await send.waitFor();
  const held = hold(
    page,
    new RegExp(`/partners/${partnerId}${of === 'step' ? '/suspend' : ''}$`),
    of === 'step' ? 'POST' : 'GET',
  );
  await send.click();
  const route = await held;
  const question = dialog.filter({ hasText: t.asked });
  const back = () => page.evaluate('history.back()');
  const leave = async () => {
    await back();
    await question.getByRole('button', { name: t.leave }).click();
    await page.getByRole('heading', { level: 1, name: t.partners, exact: true }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
  };
  return {
    t,
    page,
    name,
    partnerId,
    route,
    question,
    send,
    dialog,
    back,
    leave,
    told: page.locator('.mantine-Notification-root'),
  };
}

describe('a change of a dialog whose answer is slow', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`asks before its page is left, and a refusal is told on the next page, ${language}`, async () => {
      const { t, name, route, leave, told } = await suspendSlowly({ language });
      await leave();
      await refuse(route);
      for (const said of [name, t.notMade, REFUSAL]) await told.getByText(said).waitFor();
    });

  test('that nobody answers is said to be in doubt on the next page', async () => {
    const { name, route, leave, told } = await suspendSlowly();
    await leave();
    await route.abort();
    for (const said of [name, 'it may have been made']) await told.getByText(said).waitFor();
    assert.equal(await told.getByText('was not completed').count(), 0);
  });

  for (const [how, answer] of [
    ['for the role', (route: Route) => refuseBefore(route, 403)],
    ['for the session, which has ended', endSession],
    ['for a sign-in that is too old, which is not repeated', cancelStepUp],
  ] as const)
    test(`that nobody answered before stays in doubt where its repetition is refused ${how}`, async () => {
      const slow = await suspendSlowly();
      await slow.route.abort();
      await slow.dialog.getByRole('alert').getByText('may have been made').waitFor();
      const held = hold(slow.page, new RegExp(`/partners/${slow.partnerId}/suspend$`), 'POST');
      await slow.send.click();
      const again = await held;
      await slow.leave();
      await answer(again);
      for (const said of [slow.name, 'it may have been made']) await slow.told.getByText(said).waitFor();
      assert.equal(await slow.told.getByText('was not completed').count(), 0);
    });

  test('that a colleague made first is said not to be sent', async () => {
    const { name, partnerId, route, leave, told } = await suspendSlowly({ of: 'read' });
    await leave();
    await suspendPartner(service.database, OWNER, partnerId);
    await route.fallback();
    for (const said of [name, 'This changed meanwhile, so']) await told.getByText(said).waitFor();
  });

  test('is told in its dialog to who stays, and on no other page', async () => {
    const { t, page, name, route, question, back, dialog, told } = await suspendSlowly();
    await back();
    await question.getByRole('button', { name: t.stay }).click();
    await question.waitFor({ state: 'detached' });
    await back();
    await question.waitFor();
    await refuse(route);
    await question.waitFor({ state: 'detached' });
    await dialog.getByRole('alert').getByText(REFUSAL).waitFor();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    assert.equal(await told.count(), 0);
    // Nothing is under way any more.
    await back();
    await page.getByRole('heading', { level: 1, name: t.partners, exact: true }).waitFor();
  });
});

test('a change without a dialog whose page was left unasked is told on the next page too', needsBrowser, async () => {
  const { partner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
  const held = hold(page, /\/test$/, 'POST');
  await page.getByRole('main').getByRole('button', { name: 'Send a test', exact: true }).click();
  const route = await held;
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  await refuse(route);
  const told = page.locator('.mantine-Notification-root');
  for (const said of [receiver.url, 'The change was not completed.', REFUSAL]) await told.getByText(said).waitFor();
});
