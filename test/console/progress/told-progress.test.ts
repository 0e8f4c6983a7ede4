/** A screen reader is told of something that goes on when it begins, at each quarter and when it ends, and not at each look of the page. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { completeReconciliations } from '../../../src/operations/reconciliations/complete-reconciliations.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** @returns What the statuses of the page have said since, each at each change. */
async function listen(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    window.told = [];
    const statusOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest('[role=status]');
    new MutationObserver((changes) => {
      const statuses = new Set(changes.map(({ target }) => statusOf(target)).filter(Boolean));
      for (const status of statuses) window.told.push(status.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
  return async () => {
    const told = (await page.evaluate('window.told')) as readonly string[];
    return told.map((text) => text.replaceAll(/[\u2066-\u2069]/g, '').trim());
  };
}

/** Answers each look with the next of the answers, and each later one with the last, as changes of what the service answers. */
function answerInTurn(answers: readonly object[]) {
  let looks = 0;
  return {
    count: () => looks,
    async handle(route: Route) {
      if (route.request().method() !== 'GET') return route.fallback();
      const response = await route.fetch();
      const changes = answers[Math.min(looks, answers.length - 1)];
      looks += 1;
      await route.fulfill({ response, json: { ...(await response.json()), ...changes } });
    },
  };
}

async function newClosed() {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 40 });
  await closeThrough(service, open);
  return { partnerId, settlementId: open.settlementId };
}

describe('progress is told at its quarters', needsBrowser, () => {
  for (const [language, looking, ended] of [
    ['en', 'Looking for the lines of the settlement in the file', 'The file was compared line by line.'],
    ['ar', 'البحث عن سطور التسوية في الملف', 'قورن الملف سطرًا سطرًا.'],
  ] as const)
    test(`of a comparison, with its end, ${language}`, async () => {
      const { partnerId, settlementId } = await newClosed();
      const operator = await signedInOperator(service, 'operator');
      const settlement = `/operator/v1/partners/${partnerId}/settlements/${settlementId}`;
      const list = 'partner_event_id,partner_order_ref,points\nevent-00012345,order-12345,250\n';
      const { reconciliation_id: id } = (await operator.postList(`${settlement}/reconciliations`, list)).body;
      await completeReconciliations(service.database, new AbortController().signal);
      const page = await browser.signedIn('viewer', { language });
      await page.route(`**${settlement}`, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        await route.fulfill({ response, json: { ...body, statement: { ...body.statement, line_count: 100 } } });
      });
      const comparing = [10, 20, 30, 40, 60, 90].map((done) => ({ status: 'comparing', compared_settlement_lines: done }));
      const looks = answerInTurn([...comparing, {}]);
      await page.route(new RegExp(`/reconciliations/${id}$`), looks.handle);
      await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${id}`);
      await page.getByRole('progressbar', { name: looking }).waitFor();
      const told = await listen(page);
      await waitFor('end', async () => (await told()).includes(ended), told);
      const ofIt = (await told()).filter((text) => text.startsWith(looking) || text === ended);
      const [last] = ofIt.slice(-1);
      const shares = ofIt.slice(0, -1).map((text) => Number(/\d+/.exec(text)?.[0]));
      assert.equal(last, ended);
      assert.deepEqual(shares.slice(-3), [30, 60, 90], ofIt.join('\n'));
      assert.ok(!shares.includes(20) && !shares.includes(40), ofIt.join('\n'));
    });

  test('of a list that is sent', async () => {
    const { partnerId, settlementId } = await newClosed();
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reconciliations/new?partner=${partnerId}&settlement=${settlementId}`);
    await page.getByText('Choose the file').waitFor();
    const told = await listen(page);
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', slow);
    const lines = Array.from({ length: 15_000 }, (_, number) => `event-${10_000_000 + number},order-${number},25`);
    const buffer = Buffer.from(`partner_event_id,partner_order_ref,points\n${lines.join('\n')}\n`);
    await page.locator('input[type=file]').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
    const bar = page.getByRole('progressbar', { name: 'Sending the file' });
    const shares = new Set<string | null>();
    await waitFor('five looks at the share', async () => {
      if ((await bar.count()) > 0) shares.add(await bar.getAttribute('aria-valuenow', { timeout: 1_000 }).catch(() => null));
      return shares.size > 5;
    });
    await page.waitForURL(/\/reconciliations\/ptn_/);
    const sending = (await told()).filter((text) => text.includes('Sending the file'));
    assert.ok(sending.length > 0 && sending.length <= 4, sending.join('\n'));
    await network.detach();
  });

  test('of a recovery', async () => {
    const { partner: owner, endpointId } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator');
    const exhausted = { count: 1_000, is_more: false };
    await page.route('**/activity', answerInTurn([{ exhausted }]).handle);
    const entriesOf = (deliveries: number) => ({
      entries: [{ action: 'delivery.recover', after_json: JSON.stringify({ deliveries }) }],
    });
    await page.route(/\/audit\?.*limit=200/, answerInTurn([100, 200, 300, 400, 600].map(entriesOf)).handle);
    const isTold = Promise.withResolvers<void>();
    await page.route('**/recover', async (route) => {
      await isTold.promise;
      await route.continue();
    });
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    await page.getByRole('link', { name: /^Exhausted 1,000/ }).waitFor();
    await page.getByRole('button', { name: 'Send exhausted again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send exhausted again' }).click();
    await dialog.getByText('So far 100 deliveries of 1,000').first().waitFor();
    const told = await listen(page);
    await dialog.getByText('So far 600 deliveries of 1,000').first().waitFor();
    const ofIt = (await told()).filter((text) => text.startsWith('So far'));
    assert.deepEqual(
      ofIt.map((text) => Number(/\d+/.exec(text)?.[0])),
      [300, 600],
    );
    isTold.resolve();
    await dialog.waitFor({ state: 'detached' });
  });

  test('of a verification, whose lines are in sight alone', async () => {
    const { partnerId, open } = await newSettledPartner(service);
    const viewer = await signedInOperator(service, 'viewer');
    const path = `/operator/v1/partners/${partnerId}/verification`;
    await viewer.post(path, undefined);
    await waitFor('verification', async () => (await viewer.get(path)).body.status === 'done');
    const page = await browser.signedIn('viewer');
    const running = [1_000, 2_000, 3_000].map((lines) => ({ status: 'running', lines }));
    const looks = answerInTurn([...running, {}]);
    await page.route(`**${path}`, looks.handle);
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
    await page.getByText('1,000 lines so far').waitFor();
    const told = await listen(page);
    await page
      .locator('#checklist')
      .getByText(/^Nothing is modified: /)
      .waitFor();
    const ofIt = (await told()).filter((text) => /^(?:Verifying|Nothing is modified)/.test(text));
    assert.equal(ofIt.length, 1, ofIt.join('\n'));
    assert.match(ofIt[0] ?? '', /^Nothing is modified/);
  });
});
