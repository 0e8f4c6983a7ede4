/** On a narrow screen the long lists have a few lines for each record: nothing is missing, and nothing is cut. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { goWithin } from '../support/console/go-within.ts';
import { OPEN_RATES } from '../support/service.ts';
import { closeThrough, openFirst } from '../support/settlements.ts';
import { endpointTools, newEndpoint, untilDeliveries } from '../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** As long as the service takes one, without a place to break. */
const LONG_ORDER = `order-${'9'.repeat(94)}`;

async function newDelivery() {
  const endpoint = await newEndpoint(service, endpointTools(service.database));
  for (const order of [LONG_ORDER, 'OA-100290'])
    await endpoint.client.confirm({ ...newConfirmation(), partner_order_ref: order });
  await untilDeliveries(service.database, endpoint.partner.partnerId, (all) => all.length === 2);
  return `/webhooks/${endpoint.partner.partnerId}/${endpoint.endpointId}`;
}

async function newLines() {
  const settled = await createPartner(service.database, OWNER, uniqueId('Shop'), OPEN_RATES);
  const { client: seller } = await service.newPartner({ of: settled });
  const { settlementId } = await openFirst(service.database, settled);
  await seller.confirm({ ...newConfirmation(), partner_order_ref: LONG_ORDER });
  await seller.confirm(newConfirmation());
  await closeThrough(service, { partnerId: settled.partnerId, settlementId });
  return `/settlements/${settled.partnerId}/${settlementId}`;
}

interface Shown {
  readonly columns: number;
  readonly cells: number;
  /** What is not to be seen, or is cut. */
  readonly lost: readonly string[];
  /** In how many lines the record stands. */
  readonly lines: number;
  readonly height: number;
  readonly isTitleFirst: boolean;
}

/** Of each record of the list: cells of which the middles are at one height stand on one line. */
const lookAt = (name: string) => `(([table]) => [...table.querySelectorAll('tbody tr')].map((row) => {
  const cells = [...row.querySelectorAll('td')].filter((cell) => cell.textContent !== '');
  const boxes = cells.map((cell) => cell.getBoundingClientRect());
  const isCut = (cell) => [cell, ...cell.querySelectorAll('*')].some((each) =>
    each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === 'hidden' && each.clientWidth > 2);
  const middles = boxes.map(({ top, height }) => top + height / 2).toSorted((one, other) => one - other);
  const title = cells.find((cell) => cell.dataset.narrow === 'title').getBoundingClientRect();
  return {
    columns: table.querySelectorAll('th').length,
    cells: row.querySelectorAll('td').length,
    lost: cells.filter((cell, at) => boxes[at].width === 0 || boxes[at].left < 0 || boxes[at].right > innerWidth || isCut(cell))
      .map((cell) => cell.dataset.label + ': ' + cell.textContent),
    lines: middles.filter((middle, at) => at === 0 || middle - middles[at - 1] > 6).length,
    height: row.offsetHeight,
    isTitleFirst: boxes.every(({ bottom }) => bottom >= title.top + title.height / 2),
  };
}))(document.querySelectorAll('table[aria-label="${name}"]'))`;

async function look(page: Page, name: string): Promise<Shown[]> {
  await page.getByRole('table', { name, exact: true }).locator('tbody tr').first().waitFor();
  await page.waitForLoadState('networkidle');
  return page.evaluate<Shown[]>(lookAt(name));
}

function check(path: string, records: readonly Shown[]): void {
  const least = Math.min(...records.map(({ height }) => height));
  for (const { lost, cells, columns, isTitleFirst, height, lines } of records) {
    assert.deepEqual(lost, [], path);
    assert.equal(cells, columns);
    assert.ok(isTitleFirst, path);
    // A name of a hundred characters takes more.
    if (height === least) assert.ok(lines <= 3 && height <= 175, `${path}: ${lines} lines, ${height} pixels`);
  }
}

describe('a list on a narrow screen', needsBrowser, () => {
  let [deliveries, lines] = ['', ''];
  before(async () => {
    for (const order of [LONG_ORDER, uniqueId('order')])
      await client.confirm({ ...newConfirmation(), points: 150, partner_order_ref: order });
    for (const fields of [{ partner_order_ref: `${LONG_ORDER}8` }, {}]) await newPending(fields);
    [deliveries, lines] = [await newDelivery(), await newLines()];
  });
  const lists: readonly [en: string, ar: string, path: () => string][] = [
    ['Contributions', 'المساهمات', () => '/contributions'],
    ['Contributions', 'المساهمات', () => `/contributions?partner=${partner.partnerId}`],
    ['Reviews', 'المراجعات', () => '/reviews'],
    ['Audit', 'سجل التدقيق', () => '/audit'],
    ['Deliveries', 'عمليات التسليم', () => deliveries],
    ['Lines', 'السطور', () => lines],
  ];
  for (const language of ['en', 'ar'] as const)
    test(`has a title line and two lines below for a record, with every member of it whole, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language, width: 390 });
      await page.goto(browser.baseUrl);
      for (const [en, ar, path] of lists) {
        await goWithin(page, path());
        const records = await look(page, language === 'en' ? en : ar);
        assert.ok(records.length > 0, path());
        check(path(), records);
      }
    });
});
