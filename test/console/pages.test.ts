/**
 * Every page of the console, in both languages, both themes and both widths: no barrier, nothing against the policy, no request to
 * another host, and no text of a stranger that is more than text. `SCREENSHOTS=folder` keeps a picture of each.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { confirmPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { createProject } from '../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../src/operations/impact/pool-contributions.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { newConfirmation } from '../support/client.ts';
import { findBarriers, heightOf, needsBrowser, type Screen } from '../support/console/browser.ts';
import { HOSTILE_LINE, openScene, type Scene } from '../support/console/console-scene.ts';
import { goWithin } from '../support/console/go-within.ts';
import { untilStill } from '../support/console/until-still.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { OPEN_RATES } from '../support/service.ts';
import { closeThrough, getOpen, newSettledPartner, openFirst, tools } from '../support/settlements.ts';
import { endpointTools, newEndpoint, untilDeliveries } from '../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** A page is shown in the first of its language, and then in the second. */
const SCREENS = {
  en: [
    { scheme: 'light', width: 1280 },
    { scheme: 'dark', width: 390 },
  ],
  ar: [
    { scheme: 'light', width: 390 },
    { scheme: 'dark', width: 1280 },
  ],
} as const;

const pages = scene ? await listPages() : [];

describe('every page', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    describe(language, () => {
      let page: Page;
      // By its address in one language, and as a link leads to it in the other.
      const open = language === 'en' ? load : goWithin;
      before(async () => {
        page = await browser.signedIn('approver', { language });
        await load(page, '/');
      });
      for (const [name, path] of pages)
        test(`${name}: has no serious barrier, and fits its width, light and dark, wide and narrow`, async () => {
          for (const [number, screen] of SCREENS[language].entries()) {
            await show(page, screen);
            if (number === 0) await open(page, path);
            await page.locator('h1').waitFor();
            await page.waitForLoadState('networkidle');
            await check(page, { name, language, ...screen });
          }
        });
    });

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

async function load(page: Page, path: string): Promise<void> {
  await page.goto(browser.baseUrl + path);
}

/** As when a person turns a telephone, or the evening comes. */
async function show(page: Page, { scheme, width }: Required<Omit<Screen, 'language'>>): Promise<void> {
  await page.setViewportSize({ width, height: heightOf(width) });
  await page.emulateMedia({ colorScheme: scheme });
}

/** The names of the lists of which a column is not seen. */
const CUT_LISTS = `[...document.querySelectorAll('.records-frame')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((frame) => frame.querySelector('table').ariaLabel + ': ' + (frame.scrollWidth - frame.clientWidth))`;

async function check(page: Page, { name, ...screen }: Required<Screen> & { name: string }): Promise<void> {
  const about = [name, ...Object.values(screen)].join('-');
  await page.locator(`html[data-mantine-color-scheme=${screen.scheme}]`).waitFor({ state: 'attached' });
  // Colours on their way to those of the scheme contrast with nothing.
  await untilStill(page);
  assert.deepEqual(await findBarriers(page), [], about);
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.ok(Number(excess) <= 0, `${about} is ${excess} pixels wider than the screen`);
  assert.equal(await page.locator('html').getAttribute('dir'), screen.language === 'ar' ? 'rtl' : 'ltr');
  assert.doesNotMatch(await page.locator('body').innerText(), /[٠-٩]/, about);
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `${about}.png`), fullPage: true });
  assert.deepEqual(await listCut(page, screen.width), [], `${about}: lists that are wider than their frames`);
}

/** A list is a table from this width on, with all of its columns. */
const TABLES_FROM = 1024;

/** The lists that are wider than their frames, on this screen and on the smallest that has tables. */
async function listCut(page: Page, width: number): Promise<unknown> {
  if (width < TABLES_FROM) return [];
  const cut = (await page.evaluate(CUT_LISTS)) as unknown[];
  if (cut.length > 0) return cut;
  await page.setViewportSize({ width: TABLES_FROM, height: heightOf(width) });
  await untilStill(page);
  return page.evaluate(CUT_LISTS);
}

async function listPages(): Promise<[name: string, path: string][]> {
  const { transactionId } = await newPending();
  for (let number = 0; number < 4; number++) await newPending();
  const confirmed = await client.confirm({ partner_event_id: 'evt-confirmed', partner_order_ref: 'order-1001', points: 120 });
  const { transaction_id } = confirmed.body.contribution;
  const { partnerId } = partner;
  const money = await listMoney();
  const { calculation_id } = (await client.estimate({ distance_km: '12.345' })).body.estimate;
  const drafter = await signedInOperator(service, 'operator');
  await drafter.postOnce('/operator/v1/failures', {
    partner_id: partnerId,
    partner_event_id: 'evt-refused-1',
    partner_order_ref: 'order-1002',
    points: '450',
    reason: 'The order is held by another contribution.',
  });
  const { partnerId: longNamed } = await createPartner(service.database, OWNER, 'Brightline Market of the North', OPEN_RATES);
  await drafter.postOnce('/operator/v1/failures', {
    partner_id: longNamed,
    partner_event_id: 'brightline-lost-event-1',
    partner_order_ref: 'brightline-lost-order-1',
    points: '12450',
    reason: 'The order was deleted at the partner before its points were confirmed.',
  });
  return [
    ['overview', '/'],
    ['contributions', '/contributions'],
    ['contributions-of-one', `/contributions?partner=${partnerId}`],
    ['contribution', `/contributions/${partnerId}/${transaction_id}`],
    ['reviews', '/reviews'],
    ['review', `/reviews/${partnerId}/${transactionId}`],
    ['adjustments', '/adjustments'],
    ['failures', '/failures'],
    ['estimate', `/estimates/${partnerId}/${calculation_id}`],
    ['account', '/account'],
    ...(await listWebhooks()),
    ['settlements', `/settlements?partner=${partnerId}`],
    ...money,
    ['operators', '/operators'],
    ['audit', '/audit'],
    ['partners', '/partners'],
    ['partner', `/partners/${partnerId}`],
    ['new-partner', '/partners/new'],
    ['partner-set-up', `/partners/${partnerId}/set-up`],
    ['impact', '/impact'],
    ['new-batch', '/impact/new'],
    ['impact-batch', `/impact/${await newBatch()}`],
    ['rules', `/rules?partner=${partnerId}`],
    ['new-rule', `/rules/new?partner=${partnerId}`],
    ['jobs', '/jobs'],
    ['unknown', '/nothing-here'],
  ];
}

/** An endpoint that its receiver has left, with the delivery that it refused. */
async function listWebhooks(): Promise<[name: string, path: string][]> {
  const { client: sender, receiver, partner: of, endpointId } = await newEndpoint(service, endpointTools(service.database));
  const { partnerId } = of;
  await sender.confirm();
  const isDelivered = ({ status }: { readonly status: string }) => status === 'delivered';
  await untilDeliveries(service.database, partnerId, (all) => all.length === 1 && all.every(isDelivered));
  receiver.answerWith(410);
  await sender.confirm();
  const [refused] = await untilDeliveries(service.database, partnerId, (all) => all.some(({ status }) => status === 'held'));
  return [
    ['webhooks', '/webhooks'],
    ['endpoint', `/webhooks/${partnerId}/${endpointId}`],
    ['delivery', `/webhooks/${partnerId}/deliveries/${refused?.deliveryId}`],
    ['event', `/events/${partnerId}/${refused?.eventId}`],
  ];
}

/** A settlement in dispute, with a list that was compared and an adjustment; and the open one. */
async function listMoney(): Promise<[name: string, path: string][]> {
  const shop = await createPartner(service.database, OWNER, 'Tamra Delivery', OPEN_RATES);
  const { client: sender } = await service.newPartner({ of: shop });
  const { partnerId } = shop;
  const open = await openFirst(service.database, shop);
  const sent = Array.from({ length: 4 }, () => ({ ...newConfirmation(), points: 1_250 }));
  for (const each of sent) await sender.confirm(each);
  const { settlementId } = open;
  await closeThrough(service, open);
  const next = await getOpen(service.database, partnerId);
  const settlement = `${partnerId}/${settlementId}`;
  await sender.post(`/v1/settlements/${settlementId}/acknowledgement`, {
    status: 'disputed',
    reference: 'case-2026-11-7',
    note: 'Order 1 was refunded before the end of the month.',
  });
  await sender.confirm({ ...newConfirmation(), points: 800 });
  const operator = await signedInOperator(service, 'operator');
  const line = ({ partner_event_id, partner_order_ref }: (typeof sent)[number], points: number) =>
    `${partner_event_id},${partner_order_ref},${points}\n`;
  const [first, second, third] = sent as [(typeof sent)[number], (typeof sent)[number], (typeof sent)[number]];
  const list = `partner_event_id,partner_order_ref,points\n${line(first, 900)}${line(second, 1_250)}${line(third, 1_250)}${line(second, 1)}short,,x\n`;
  const begun = await operator.postList(
    `/operator/v1/partners/${settlement.replace('/', '/settlements/')}/reconciliations`,
    list,
  );
  await completeReconciliations(service.database, new AbortController().signal);
  const { lines } = (await operator.get(`/operator/v1/partners/${settlement.replace('/', '/settlements/')}/lines`)).body;
  const drafted = await operator.postOnce('/operator/v1/adjustments', {
    partner_id: partnerId,
    transaction_id: lines[0].transaction_id,
    reason_code: 'partner_reporting_error',
    points_delta: '-350',
    reason_en: 'Refunded before the end of the month.',
    reason_ar: 'أُعيد المبلغ قبل نهاية الشهر.',
  });
  return [
    ['closings', '/closings'],
    ['settlement-open', `/settlements/${partnerId}/${next.settlementId}`],
    ['settlement-disputed', `/settlements/${settlement}`],
    ['adjustment', `/adjustments/${partnerId}/${drafted.body.adjustment.adjustment_id}`],
    ['reconciliations', '/reconciliations'],
    ['reconcile', `/reconciliations/new?partner=${partnerId}&settlement=${settlementId}`],
    ['reconciliation', `/reconciliations/${partnerId}/${begun.body.reconciliation_id}`],
    ['reconciliation-malformed', `/reconciliations/${partnerId}/${begun.body.reconciliation_id}?verdict=malformed`],
  ];
}

/** With a settlement, and one more to choose. */
async function newBatch(): Promise<string> {
  const { database } = service;
  const operator = signedIn('operator');
  await createProject(database, operator, { nameEn: 'Mangroves of the coast', nameAr: 'قرم الساحل', country: 'SA' });
  const { partnerId } = partner;
  const close = async () =>
    (await closeSettlement(database, signedIn('approver'), { partnerId, isEarly: true }, tools()))?.closed.settlementId as string;
  const settlementId = await close();
  await client.confirm({ points: 75 });
  await close();
  const { impactBatchId } = await createImpactBatch(database, operator, { name: 'Spring', quantity: 120n });
  await poolSettlements(database, operator, { impactBatchId, partnerId, settlementIds: [settlementId] });
  return impactBatchId;
}

describe('texts of strangers', needsBrowser, () => {
  test('are shown as text, whatever they hold, and break no line out of its place', async () => {
    const hostile = await createPartner(service.database, OWNER, HOSTILE_LINE, OPEN_RATES);
    const { transactionId } = await newPending();
    const id = { partnerId: partner.partnerId, transactionId };
    await confirmPendingContribution(service.database, signedIn('operator'), id, HOSTILE_LINE);
    const page = await browser.signedIn('operator', { width: 390 }, HOSTILE_LINE);
    const { impactBatchId } = await createImpactBatch(service.database, signedIn('operator'), {
      name: HOSTILE_LINE.slice(0, 200),
      quantity: 1n,
    });
    const about = `${partner.partnerId}/${transactionId}`;
    const { partnerId: disputing, client: sender, open } = await newSettledPartner(service);
    await closeThrough(service, open);
    await sender.post(`/v1/settlements/${open.settlementId}/acknowledgement`, { status: 'disputed', note: HOSTILE_LINE });
    const drafter = await signedInOperator(service, 'operator');
    const refused = { partner_id: disputing, partner_event_id: 'evt-refused-2', partner_order_ref: 'W'.repeat(128), points: '1' };
    await drafter.postOnce('/operator/v1/failures', { ...refused, reason: HOSTILE_LINE });
    const settlement = `/settlements/${disputing}/${open.settlementId}`;
    await load(page, '/');
    for (const path of [
      settlement,
      '/failures',
      `/reviews/${about}`,
      `/contributions/${about}`,
      `/partners/${hostile.partnerId}`,
      '/partners',
      `/partners/${hostile.partnerId}/set-up`,
      `/impact/${impactBatchId}`,
      '/impact',
    ]) {
      await goWithin(page, path);
      assert.equal(await page.locator('img[src=x], main script').count(), 0);
      const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      assert.ok(Number(excess) <= 0, `${path} is ${excess} pixels wider than the screen`);
      await page.locator('main').getByText('<script>alert(1)</script>').first().waitFor();
    }
  });
});
