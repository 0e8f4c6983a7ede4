/** What is typed is not lost unasked: by a link, by Back, by a reload, by signing out. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { copyBy } from '../../support/console/copy-by.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const WORDS = {
  en: {
    create: 'New version',
    version: 'Version',
    partners: 'Partners',
    stay: 'Stay',
    leave: 'Leave without saving',
    lost: 'is not saved',
  },
  ar: {
    create: 'إصدار جديد',
    version: 'الإصدار',
    partners: 'الشركاء',
    stay: 'البقاء',
    leave: 'المغادرة دون حفظ',
    lost: 'غير محفوظ',
  },
} as const;

describe('what is typed into the form of a rule', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`is kept until the person says that it may go, ${language}`, async () => {
      const t = WORDS[language];
      const page = await browser.signedIn('admin', { language });
      await page.goto(`${browser.baseUrl}/rules`);
      await page.getByRole('button', { name: t.create }).click();
      const version = page.getByRole('main').getByRole('textbox', { name: t.version, exact: true });
      await version.fill('spring-1');
      const dialog = page.getByRole('dialog');
      await page.getByRole('navigation').getByRole('link', { name: t.partners, exact: true }).click();
      await dialog.getByText(t.lost).waitFor();
      await dialog.locator('button:focus').waitFor();
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await version.inputValue(), 'spring-1');
      assert.match(page.url(), /\/rules\/new$/);
      const stayed = browser.answerLeaving(page, 'stay');
      await version.press('End');
      await page.evaluate('setTimeout(() => location.reload())');
      await stayed;
      assert.equal(await version.inputValue(), 'spring-1');
      await page.evaluate('history.back()');
      await dialog.getByText(t.lost).waitFor();
      await dialog.getByRole('button', { name: t.stay }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('navigation').getByRole('link', { name: t.partners, exact: true }).click();
      await dialog.getByRole('button', { name: t.leave }).click();
      await page.getByRole('heading', { level: 1, name: t.partners }).waitFor();
    });

  test('is asked about neither before something is typed, nor by a filter of the page, nor once it is saved', async () => {
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/rules/new?partner=${partner.partnerId}`);
    const version = page.getByRole('textbox', { name: 'Version', exact: true });
    await version.fill('spring-2');
    await version.fill('');
    await page.getByRole('navigation').getByRole('link', { name: 'Rules', exact: true }).last().click();
    await page.getByRole('button', { name: 'New version' }).click();
    await version.fill('spring-3');
    await choose(page, { field: 'Partner', option: 'بنك الواحة' });
    assert.equal(await version.inputValue(), 'spring-3');
    await page.getByRole('button', { name: 'New version' }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'New version' }).click();
    await page.getByRole('row').filter({ hasText: 'spring-3' }).waitFor();
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'spring-3' }).waitFor();
  });
});

test(
  'a new partner, an address of its receiver and the name of its key are kept too, until they are stored, and the key until it is copied',
  needsBrowser,
  async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/partners/new`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Souq of Typed');
    const dialog = page.getByRole('dialog');
    const leave = () => page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
    const stay = async () => {
      await dialog.getByRole('button', { name: 'Stay' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await leave();
    await stay();
    await page.getByRole('button', { name: 'Create the partner' }).click();
    await page.getByRole('heading', { name: 'Souq of Typed' }).waitFor();
    await page.getByLabel('Address').fill('https://example.org/events');
    await leave();
    await stay();
    await page.getByLabel('Address').fill('');
    await page.getByLabel('Name of the key').fill('till');
    await leave();
    await stay();
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.locator('.secret').waitFor();
    await leave();
    await dialog.getByText('a secret that is shown once and is not copied yet').waitFor();
    await stay();
    await copyBy(page, 'Copy the key');
    await leave();
    await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  },
);

test(
  'the secret of an endpoint stays beside the next one, also where a challenge failed or an answer was lost',
  needsBrowser,
  async () => {
    const { partner: own } = await service.newPartner();
    const [first, second] = [await WebhookReceiver.open(), await WebhookReceiver.open()];
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/partners/${own.partnerId}/set-up`);
    const step = page.getByRole('region', { name: 'Webhook endpoint', exact: true });
    const secrets = step.locator('.secret');
    const send = () => step.getByRole('button', { name: 'Challenge and add' }).click();
    await step.getByLabel('Address').fill(first.url);
    await send();
    await secrets.waitFor();
    const shown = await secrets.innerText();
    await step.getByRole('button', { name: 'Add another endpoint' }).click();
    await step.getByLabel('Address').fill('https://nobody.invalid/hook');
    await send();
    await step.getByText('Nothing was stored.').waitFor();
    assert.equal(await secrets.innerText(), shown);
    await step.getByLabel('Address').fill(second.url);
    const type = step.getByRole('checkbox', { name: 'Settlement closed' });
    await type.check();
    const made: string[] = [];
    await page.route(/\/operator\/v1\/endpoints$/, async (route) => {
      const answer = await route.fetch();
      made.push((await answer.json()).secret);
      await (made.length === 1 ? route.abort() : route.fulfill({ response: answer }));
    });
    await send();
    await step.getByText('the endpoint may have been added').waitFor();
    // Another choice would be sent as another endpoint.
    assert.deepEqual([await type.isDisabled(), await type.isChecked()], [true, true]);
    await step.getByRole('table').getByText(second.url).waitFor();
    await send();
    await secrets.nth(1).waitFor();
    assert.deepEqual(await secrets.allInnerTexts(), [shown, made[0]]);
    assert.deepEqual([made[1], second.challenges.length], [made[0], 1]);
    for (const { url } of [first, second]) await step.getByText(`verifies deliveries to \u2068${new URL(url).host}`).waitFor();
    for (const copy of await step.getByRole('button', { name: 'Copy the secret' }).all()) await copy.click();
    await page.unrouteAll();
  },
);

test('who leaves while it is being saved is not told that it is lost, and comes to what was saved', needsBrowser, async () => {
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/partners/new`);
  const sent = Promise.withResolvers<() => Promise<void>>();
  await page.route('**/operator/v1/partners', (route) => {
    if (route.request().method() === 'POST') sent.resolve(() => route.continue());
    else return route.continue();
  });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Souq of Patience');
  await page.getByRole('button', { name: 'Create the partner' }).click();
  const goOn = await sent.promise;
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('is not saved').waitFor();
  await goOn();
  await page.getByRole('heading', { name: 'Souq of Patience' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.unrouteAll();
});

test('an answer to a dispute is kept until it is recorded', needsBrowser, async () => {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 100 });
  await closeThrough(service, open);
  await client.post(`/v1/settlements/${open.settlementId}/acknowledgement`, { status: 'disputed', note: 'Too much.' });
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
  const text = page.locator('#reply textarea').first();
  const dialog = page.getByRole('dialog');
  // Copied, and shown by its dialog, is not typed.
  await page.getByRole('button', { name: 'Copy the text' }).click();
  await page.getByRole('button', { name: 'I have sent it' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  await page.evaluate('history.back()');
  for (const [language, words] of [
    ['In Arabic', 'راجعنا كل سطر.'],
    ['In English', 'We looked at every line.'],
  ] as const) {
    await page.locator('#reply').getByText(language, { exact: true }).click();
    await text.fill(words);
  }
  await page.locator('#reply').getByText('In Arabic', { exact: true }).click();
  await page.getByRole('button', { name: 'I have sent it' }).click();
  await dialog.getByRole('button', { name: 'I have sent it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('#reply').getByText('In English', { exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await text.inputValue(), 'We looked at every line.');
  await page.getByRole('button', { name: 'I have sent it' }).click();
  await dialog.getByRole('button', { name: 'I have sent it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
});

test('a reason in a dialog is kept too, and Escape closes the question alone', needsBrowser, async () => {
  const { order } = await newPending();
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/partners`);
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  const open = async () => {
    await page.getByRole('row').filter({ hasText: order }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Fail' }).click();
  };
  await open();
  const reason = page.getByRole('dialog').getByLabel('Reason');
  await reason.waitFor();
  const question = page.getByRole('dialog').filter({ hasText: 'Leave this page?' });
  // Nothing is typed yet.
  await page.evaluate('history.back()');
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  await open();
  await reason.pressSequentially('It was cancelled.');
  await page.evaluate('history.back()');
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.equal(await reason.inputValue(), 'It was cancelled.');
  const stayed = browser.answerLeaving(page, 'stay');
  await page.evaluate('setTimeout(() => location.reload())');
  await stayed;
  await page.evaluate('history.back()');
  await question.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  await open();
  await reason.fill('It was cancelled.');
  await page.getByRole('dialog').getByRole('button', { name: 'Fail 1 contribution' }).click();
  await reason.waitFor({ state: 'detached' });
  await page.getByRole('navigation').getByRole('link', { name: 'Partners', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Partners' }).waitFor();
});

describe('what a closed dialog keeps', needsBrowser, () => {
  for (const { what, at, open, field, title = open } of [
    {
      what: 'the report of an event',
      at: () => '/failures',
      open: 'Report a refused event',
      title: undefined,
      field: 'Event id of the partner',
    },
    { what: 'a project', at: () => '/impact', open: 'New project', field: 'Name in English' },
    { what: 'a batch', at: () => '/impact/new', open: 'Create it without settlements', title: 'New batch', field: 'Name' },
    { what: 'a passkey', at: () => '/account', open: 'Add a passkey', field: 'Name of the passkey' },
    {
      what: 'an adjustment',
      at: async () => {
        const { transaction_id } = (await client.confirm({ points: 120 })).body.contribution;
        return `/contributions/${partner.partnerId}/${transaction_id}`;
      },
      open: 'Draft an adjustment',
      field: 'Change of points',
    },
  ])
    test(`is not lost unasked when it is opened again: ${what}`, async () => {
      const page = await browser.signedIn('operator');
      await page.goto(browser.baseUrl + (await at()));
      const button = page.getByRole('button', { name: open, exact: true });
      await button.click();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByLabel(field).fill('12');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await button.click();
      assert.equal(await dialog.getByLabel(field).inputValue(), '12');
      await page.evaluate(`document.querySelector('nav a[href="/reviews"]').click()`);
      await page.getByRole('dialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Stay' }).click();
      assert.equal(await dialog.getByLabel(field).inputValue(), '12');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
});

test('who signs out with something typed is asked first, again where the service cannot be reached', needsBrowser, async () => {
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/partners/new`);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  const question = page.getByRole('dialog');
  await name.fill('Souq of Typed');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await question.getByText('is not saved').waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.equal(await name.inputValue(), 'Souq of Typed');
  const leave = async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
  };
  await page.route('**/operator/v1/session', (route) => route.abort());
  await leave();
  await page.getByText('You may still be signed in').waitFor();
  await page.unrouteAll();
  assert.equal(await name.inputValue(), 'Souq of Typed');
  await leave();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
});
