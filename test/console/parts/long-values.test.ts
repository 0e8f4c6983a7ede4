/** The longest that the service takes: a name, an id, a label and points near the end of int64. No page is wider for it, and none cuts it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { completeReconciliations } from '../../../src/operations/reconciliations/complete-reconciliations.ts';
import type { Partner } from '../../../src/store/access/partner.ts';
import { OWNER } from '../../support/actor.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { goWithin } from '../../support/console/go-within.ts';
import { untilStill } from '../../support/console/until-still.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { insertContributionRule, insertPrice } from '../../support/rules.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { closeThrough, openFirst } from '../../support/settlements.ts';

const MOST = 2n ** 63n - 1n;
const NAME = 'شركة الواحة للتجارة والتوصيل Brightline Market of the North '.repeat(4).slice(0, 200).trim();
const long = (prefix: string, number: number) => `${prefix}-${number}-`.padEnd(128, 'W');

const named: Partner[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      const of = await createPartner(database, OWNER, NAME, { ...OPEN_RATES, currency: 'KWD' });
      const { partnerId } = of;
      const limits = { review_threshold: MOST, daily_points_cap: MOST, daily_count_cap: MOST };
      await insertContributionRule(database, { partnerId, label: 'r'.repeat(64), ...limits });
      const price = { partnerId, starts: '-1 day', price: '123456789012.123456789012', currency: 'KWD' };
      await insertPrice(database, 'point_conversion', { ...price, label: 'p'.repeat(64) });
      named.push(of);
    });
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

interface Shown {
  /** By how much the page is wider than the screen. */
  readonly excess: number;
  /** Texts beyond the screen, the notice, the card or the cell in which they stand; what a list scrolls is reached. */
  readonly beyond: readonly string[];
}

const SHOWN = `(() => {
  const texts = [...document.querySelectorAll('main :is(bdi, time, p, .figure, .mantine-Alert-body *)')].filter((each) =>
    each.checkVisibility() && each.innerText && each.offsetWidth > 2 && !each.closest('.foreign-line, .records-frame, .mantine-ScrollArea-root'));
  const isWithin = (each, frame) => {
    const [inner, outer] = [each.getBoundingClientRect(), frame.getBoundingClientRect()];
    return inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
  };
  return {
    excess: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    beyond: texts.filter((each) => {
      const frames = [each.closest('td, .verdict-card, .mantine-Alert-root, .mantine-Paper-root, main'), document.documentElement];
      return frames.some((frame) => !isWithin(each, frame));
    }).map(({ innerText }) => innerText.slice(0, 80)),
  };
})()`;

describe('the longest values', needsBrowser, () => {
  let paths: readonly string[] = [];
  before(async () => {
    const [of] = named as [Partner];
    const { partnerId } = of;
    const { client } = await service.newPartner({ of });
    const open = await openFirst(service.database, of);
    const confirm = async (number: number, points: bigint) => {
      const sent = { partner_event_id: long('event', number), partner_order_ref: long('order', number), points };
      return { ...sent, answer: (await client.confirm(sent)).body };
    };
    const confirmed = await confirm(1, MOST - 1n);
    await closeThrough(service, open);
    const { answer } = await confirm(2, MOST);
    const operator = await signedInOperator(service, 'operator', NAME);
    const line = `${confirmed.partner_event_id},${confirmed.partner_order_ref},${MOST}\n`;
    const settlement = `${partnerId}/settlements/${open.settlementId}`;
    const file = `partner_event_id,partner_order_ref,points\n${line}${line}`;
    const { body } = await operator.postList(`/operator/v1/partners/${settlement}/reconciliations`, file);
    await completeReconciliations(service.database, new AbortController().signal);
    const { transaction_id } = confirmed.answer.contribution;
    const drafted = await operator.postOnce('/operator/v1/adjustments', {
      partner_id: partnerId,
      transaction_id,
      reason_code: 'other',
      points_delta: String(1n - MOST),
      reason_en: 'W'.repeat(200),
      reason_ar: 'سبب',
    });
    paths = [
      `/reviews/${partnerId}/${answer.contribution.transaction_id}`,
      `/partners/${partnerId}/set-up`,
      `/partners/${partnerId}`,
      `/rules?partner=${partnerId}`,
      `/reconciliations/${partnerId}/${body.reconciliation_id}`,
      `/adjustments/${partnerId}/${drafted.body.adjustment.adjustment_id}`,
      `/settlements/${partnerId}/${open.settlementId}`,
      `/contributions/${partnerId}/${transaction_id}`,
      '/audit',
    ];
  });

  for (const language of ['en', 'ar'] as const)
    test(`make no page wider, and none cuts them, from 320 pixels on, ${language}`, async () => {
      const page = await browser.signedIn('admin', { language });
      await page.goto(browser.baseUrl);
      for (const path of paths) {
        await goWithin(page, path);
        await page.waitForLoadState('networkidle');
        for (const width of [1_280, 768, 320]) {
          await page.setViewportSize({ width, height: 800 });
          await untilStill(page);
          assert.deepEqual(await page.evaluate<Shown>(SHOWN), { excess: 0, beyond: [] }, `${path} at ${width}`);
        }
      }
    });
});
