/** The audit is filtered by whoever made its entries: people, accounts of the service, and the API keys of partners. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('the filter of the audit by who made an entry', needsBrowser, () => {
  for (const [language, words] of [
    ['en', { field: 'By', owner: 'The owner account', key: 'API key' }],
    ['ar', { field: 'بواسطة', owner: 'حساب المالك', key: 'مفتاح API' }],
  ] as const)
    test(`has the accounts of the service, and an API key by its id, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      const field = page.getByRole('combobox', { name: words.field, exact: true });
      const shows = (text: string) => waitFor(`${text} in the field`, async () => (await field.inputValue()) === text);
      const asked = new Set<string | null>();
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname === '/operator/v1/audit') asked.add(searchParams.get('operator_id'));
      });
      const asks = (id: string) => waitFor(`question for the entries of ${id}`, async () => asked.has(id));
      await page.goto(`${browser.baseUrl}/audit`);
      await choose(page, { field: words.field, option: words.owner, typed: words.owner });
      await page.waitForURL(/operator=owner/);
      await asks('owner');
      await page.reload();
      await shows(words.owner);
      await page.goto(`${browser.baseUrl}/audit?operator=schedule`);
      await waitFor('the account in the field', async () => (await field.inputValue()) !== '');
      const { keyId } = (await service.newPartner()).key.key;
      await choose(page, { field: words.field, option: `${words.key} · ${keyId}`, typed: keyId });
      await page.waitForURL(new RegExp(`operator=${keyId}`));
      await asks(keyId);
      await page.reload();
      await shows(`${words.key} · ${keyId}`);
    });

  test('finds an account and a person by a name that is typed without hamzas and signs over letters, ar', async () => {
    const page = await browser.signedIn('viewer', { language: 'ar' }, 'أَمَل المُراجِعة');
    await page.goto(`${browser.baseUrl}/audit`);
    await choose(page, { field: 'بواسطة', option: 'الجدولة التلقائية في الخدمة', typed: 'الجدوله' });
    await page.waitForURL(/operator=schedule/);
    await choose(page, { field: 'بواسطة', option: 'أَمَل المُراجِعة', typed: 'امل المراجعه' });
    await page.waitForURL(/operator=opr_/);
  });
});

describe('the filter of the audit by the action', needsBrowser, () => {
  test('finds it by words that are typed without hamzas and signs over letters, ar', async () => {
    const page = await browser.signedIn('viewer', { language: 'ar' });
    for (const [typed, option, action] of [
      ['اصدر مفتاح', 'أُصدر مفتاح API', 'key.issue'],
      ['رحل', 'رُحّل التعديل', 'adjustment.post'],
    ] as const) {
      await page.goto(`${browser.baseUrl}/audit`);
      await choose(page, { field: 'الإجراء', option: new RegExp(option), typed });
      await page.waitForURL(new RegExp(`action=${action}`));
    }
  });
});
