/** Reviews that are decided with several requests, or of which an answer was lost. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { asSuperuser } from '../../support/postgres/superuser.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, newPending, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const COUNT = 101;

test(
  'are all chosen once all are shown, and decided together; what a refused request left is decided when it is tried again',
  needsBrowser,
  async () => {
    await Promise.all(Array.from({ length: COUNT }, () => newPending()));
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reviews`);
    const told = page.locator('.records-status');
    const more = page.getByRole('button', { name: 'Show more' });
    for (const shown of [50, 100]) {
      await page
        .locator('tbody tr')
        .nth(shown - 1)
        .waitFor();
      assert.equal(await told.innerText(), `Reviews: ${shown} records, and there are more. Recorded: earliest first`);
      await page.getByRole('checkbox', { name: `All: ${shown} shown`, exact: true }).waitFor();
      await page.getByRole('columnheader').getByText(`${shown} shown`, { exact: true }).waitFor();
      await more.click();
    }
    await page
      .locator('tbody tr')
      .nth(COUNT - 1)
      .waitFor();
    await page.getByRole('checkbox', { name: 'All', exact: true }).check();
    // In another order they are on pages that are not read.
    await page.getByRole('columnheader').getByRole('button', { name: 'Points' }).click();
    await page.locator('[aria-sort=descending] .sort-heading').waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await page.getByText('Reviews: 50 records, and there are more').waitFor();
    await page.getByText(`${COUNT} contributions chosen, 25,250 points`).waitFor();
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The shop says so.');
    const decisions = /\/reviews\/decisions$/;
    const sent: number[] = [];
    const { promise: isSeen, resolve: letGo } = Promise.withResolvers<void>();
    await page.route(decisions, async (route) => {
      sent.push(route.request().postDataJSON().contributions.length);
      const error = { code: 'internal_service_unavailable', message: 'The service could not complete the request.' };
      if (sent.length !== 2) return route.continue();
      await isSeen;
      return route.fulfill({ status: 503, json: { error } });
    });
    const confirm = dialog.getByRole('button', { name: `Confirm ${COUNT} contributions` });
    await confirm.click();
    await dialog.getByText(`${COUNT - 1} of ${COUNT} decided`).waitFor();
    letGo();
    await dialog.getByText('The service could not complete the request').waitFor();
    await dialog.getByText(`${COUNT - 1} of ${COUNT} contributions are decided for good.`).waitFor();
    await confirm.click();
    await page.getByText(`${COUNT} contributions are confirmed now.`).waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(sent, [100, 1, 100, 1]);
    const { rows } = await service.database.pool.query(
      `select count(*)::int as decided, count(distinct note)::int as reasons
    from contribution_review where resolved_at is not null`,
    );
    assert.deepEqual(rows, [{ decided: COUNT, reasons: 1 }]);
    await page.unroute(decisions);
  },
);

test('are decided with the reason of others, of which the decision was made and its answer lost', needsBrowser, async () => {
  const [first, second] = [await newPending(), await newPending()];
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/reviews`);
  const dialog = page.getByRole('dialog');
  const send = async ({ order }: typeof first) => {
    await page.getByLabel(order).check();
    await page.getByRole('button', { name: 'Fail', exact: true }).click();
    await dialog.getByLabel('Reason').fill('Cancelled.');
    await dialog.getByRole('button', { name: 'Fail 1 contribution' }).click();
  };
  const decisions = /\/reviews\/decisions$/;
  await page.route(decisions, async (route) => {
    await route.fetch();
    await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>504 Gateway Time-out</h1>' });
  });
  await send(first);
  await dialog.getByText('so the change may have been made').waitFor();
  await page.unroute(decisions);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel(first.order).waitFor({ state: 'detached' });
  await send(second);
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('You recorded 1 contribution as failed.').waitFor();
});

for (const [language, confirm, again] of [
  ['en', 'Confirm', 'Try the rest again'],
  ['ar', 'تأكيد', 'إعادة المحاولة مع الباقي'],
] as const)
  test(
    `stay chosen where they were not decided, and are tried again with the same reason, ${language}`,
    needsBrowser,
    async () => {
      const [free, edited, held] = [await newPending(), await newPending(), await newPending()];
      await asSuperuser(service.database.pool, async (client) => {
        await client.query('update contribution set points = points + 1 where transaction_id = $1', [edited.transactionId]);
      });
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/reviews`);
      for (const { order } of [free, edited, held]) await page.getByLabel(order).check();
      await page.getByRole('main').getByRole('button', { name: confirm, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').fill('The shop says so.');
      const client = await service.database.pool.connect();
      try {
        await client.query("begin; set local idle_in_transaction_session_timeout = '60s'");
        await client.query('select 1 from contribution where transaction_id = $1 for update', [held.transactionId]);
        await dialog.locator('button[type=submit]').click();
        await dialog.getByRole('button', { name: again }).waitFor({ timeout: 60_000 });
      } finally {
        client.release(true);
      }
      await dialog.getByText(held.order).waitFor();
      assert.equal(await dialog.getByText(free.order).count(), 0);
      for (const { order } of [edited, held]) assert.equal(await page.getByLabel(order).isChecked(), true);
      await dialog.getByRole('button', { name: again }).click();
      await page.getByLabel(held.order).waitFor({ state: 'detached' });
      // It was not tried again, and still waits.
      await dialog.getByText(edited.order).waitFor();
      assert.equal(await dialog.getByText(held.order).count(), 0);
      assert.equal(await dialog.getByRole('button', { name: again }).count(), 0);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await page.getByLabel(edited.order).isChecked(), true);
      const { rows } = await service.database.pool.query(
        'select distinct note from contribution_review where transaction_id = any ($1) and resolved_at is not null',
        [[free.transactionId, held.transactionId]],
      );
      assert.deepEqual(rows, [{ note: 'The shop says so.' }]);
    },
  );

test('are not tried again where a colleague has decided what the service found locked', needsBrowser, async () => {
  const decided = await newPending();
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/reviews`);
  await page.getByLabel(decided.order).check();
  await page.getByRole('main').getByRole('button', { name: 'Confirm', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('The shop says so.');
  const colleague = await signedInOperator(service, 'operator');
  const { status } = await colleague.postOnce('/operator/v1/reviews/decisions', {
    decision: 'fail',
    reason: 'Cancelled.',
    contributions: [{ partner_id: partner.partnerId, transaction_id: decided.transactionId }],
  });
  assert.equal(status, 200);
  const client = await service.database.pool.connect();
  try {
    await client.query("begin; set local idle_in_transaction_session_timeout = '60s'");
    await client.query('select 1 from contribution where transaction_id = $1 for update', [decided.transactionId]);
    const { promise: answered, resolve } = Promise.withResolvers<string>();
    page.on('response', async (response) => {
      if (response.url().endsWith('/reviews/decisions')) resolve((await response.json()).decisions[0].error_code);
    });
    await dialog.locator('button[type=submit]').click();
    assert.equal(await answered, 'internal_service_unavailable');
  } finally {
    client.release(true);
  }
  await dialog.getByText('1 contribution was not decided').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Try the rest again' }).count(), 0);
});

test('stay chosen in another order until a reading of the list shows that they are decided', needsBrowser, async () => {
  const page = await browser.signedIn('operator');
  const [first, second] = [await newPending({ points: 500 }), await newPending({ points: 500 })];
  await Promise.all(Array.from({ length: 50 }, () => newPending()));
  await page.clock.install();
  await page.goto(`${browser.baseUrl}/reviews?sort=-points`);
  for (const order of [first.order, second.order]) await page.getByLabel(order).check();
  await page.getByRole('columnheader').getByRole('button', { name: 'Points' }).click();
  await page.locator('[aria-sort=ascending] .sort-heading').waitFor();
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  await page.getByText('2 contributions chosen, 1,000 points').waitFor();
  const colleague = await signedInOperator(service, 'operator');
  const contributions = [{ partner_id: partner.partnerId, transaction_id: first.transactionId }];
  const answer = await colleague.postOnce('/operator/v1/reviews/decisions', {
    decision: 'fail',
    reason: 'Cancelled.',
    contributions,
  });
  assert.equal(answer.status, 200, answer.text);
  // What was read before is not read again at once.
  await page.clock.fastForward('00:03');
  await page.getByRole('columnheader').getByRole('button', { name: 'Points' }).click();
  await page.getByText('1 contribution chosen, 500 points').waitFor();
});
