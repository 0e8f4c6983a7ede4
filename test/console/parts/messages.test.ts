/** What the console says of a change: that it was done, that it failed, and why it is refused. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('messages', needsBrowser, () => {
  test('of two that follow each other only the latest is shown', async () => {
    const { partner: owner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    const send = page.getByRole('button', { name: 'Send a test' });
    await send.click();
    const first = page.getByText('The receiver took the test event');
    await first.waitFor();
    // Under the pointer no message goes by itself.
    await first.hover();
    receiver.answerWith(500);
    await send.press('Enter');
    await page.getByText('did not take the test event').waitFor();
    await first.waitFor({ state: 'detached' });
    assert.equal(await page.locator('.mantine-Notification-root').count(), 1);
  });

  test('what was done has another sign than what was not, and only that stays, whatever else is done', async () => {
    const { partner: owner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    const send = page.getByRole('button', { name: 'Send a test' });
    const toast = page.locator('.mantine-Notification-root');
    const signOf = () => toast.locator('.mantine-Notification-icon path').getAttribute('d');
    await send.click();
    await toast.filter({ hasText: 'The receiver took the test event' }).waitFor();
    const done = await signOf();
    await page.clock.runFor(7_000);
    await toast.waitFor({ state: 'detached' });
    receiver.answerWith(500);
    await send.click();
    const failure = toast.filter({ hasText: 'did not take the test event' });
    await failure.waitFor();
    assert.notEqual(await signOf(), done);
    await page.clock.runFor(60_000);
    assert.equal(await failure.count(), 1);
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('It fails.');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.clock.runFor(1_000);
    await toast.nth(1).waitFor();
    assert.equal(await failure.count(), 1);
    await failure.getByRole('button').click();
    await failure.waitFor({ state: 'detached' });
  });

  test('in another language only what failed is still told, in its own direction', async () => {
    const { partner: owner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    const toast = page.locator('.mantine-Notification-root');
    const language = page.getByRole('button', { name: /^(?:Language|اللغة)/ });
    await page.getByRole('button', { name: 'Send a test' }).click();
    // Under the pointer no message goes by itself.
    await toast.filter({ hasText: 'The receiver took the test event' }).hover();
    await language.press('Enter');
    await toast.waitFor({ state: 'detached' });
    receiver.answerWith(500);
    await page.getByRole('button', { name: 'إرسال اختبار' }).click();
    await toast.waitFor();
    await language.press('Enter');
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
    assert.equal(await toast.locator('bdi').count(), 1);
  });

  test('that something failed goes once the same is done', async () => {
    const { partner: owner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    const send = page.getByRole('button', { name: 'Send a test' });
    receiver.answerWith(500);
    await send.click();
    const failure = page.getByText('did not take the test event');
    await failure.waitFor();
    receiver.answerWith(200);
    await send.click();
    await page.getByText('The receiver took the test event').waitFor();
    await failure.waitFor({ state: 'detached' });
  });

  test('that something failed for one person is not told to the next one', async () => {
    const { partner: owner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator', undefined, 'First tester');
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    const send = page.getByRole('button', { name: 'Send a test' });
    receiver.answerWith(500);
    await send.click();
    const failure = page.getByText('did not take the test event');
    await failure.waitFor();
    const { cookie } = await signedInOperator(service, 'operator', 'Second tester');
    const [name = '', value = ''] = cookie.split('=');
    const terms = { domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' } as const;
    await page.context().addCookies([{ name, value, ...terms }]);
    await send.click();
    await page.getByText('Second tester').waitFor();
    await send.waitFor();
    assert.equal(await failure.count(), 0);
  });
});

test('a long refusal leaves room for the dialog on a low screen', needsBrowser, async () => {
  const { partner: owner, endpointId } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('operator');
  await page.setViewportSize({ width: 640, height: 400 });
  await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
  const message = 'This endpoint cannot be disabled now. '.repeat(60);
  await page.route('**/disable', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 'invalid_request', message } } }),
  );
  await page.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('It fails.');
  const send = dialog.getByRole('button', { name: 'Disable' });
  await send.click();
  const refusal = dialog.getByRole('alert').filter({ hasText: 'cannot be disabled' });
  await refusal.waitFor();
  const [box, button] = [await refusal.boundingBox(), await send.boundingBox()];
  assert.ok(box && box.height <= 120, JSON.stringify(box));
  assert.ok(button && button.y >= box.y + box.height && button.y + button.height <= 400, JSON.stringify(button));
});
