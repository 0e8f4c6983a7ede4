/** A service that has no records yet: each list says so, and what brings the first; under a filter it says that nothing fits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newConfirmation } from '../../support/client.ts';
import { type ConsoleBrowser, needsBrowser, openBrowser } from '../../support/console/browser.ts';
import { type TestService, testService } from '../../support/service.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const service = needsBrowser.skip ? undefined : await testService();
const browser = (service && (await openBrowser(service))) as ConsoleBrowser;
if (service) after(() => assert.deepEqual(browser.offences, []));

/** What each list says: without records, what brings the first, and under a filter. */
const LISTS = [
  [
    '/contributions',
    'There is no contribution yet',
    /when a partner confirms it/,
    '?of=order-1',
    'No contribution fits these filters',
  ],
  [
    '/adjustments',
    'There is no adjustment yet',
    /page of a confirmed contribution/,
    '?status=draft',
    'No adjustment fits these filters',
  ],
  ['/webhooks', 'There is no endpoint yet', /set-up of a partner/, '?state=failing', 'No endpoint fits these filters'],
  ['/webhooks', 'There is no endpoint yet', /set-up of a partner/, '?undelivered=exhausted', 'No endpoint fits these filters'],
  [
    '/settlements',
    'No settlement is closed yet',
    /after the end of its period/,
    '?answer=disputed',
    'No settlement fits these filters',
  ],
  ['/failures', 'No refused event was reported yet', /never confirm/, '?status=approved', 'No failure fits these filters'],
  ['/rules', 'No version was made', /The defaults apply/, '?kind=tree_cost', 'Nothing fits this filter'],
  [
    '/reconciliations',
    'No list was reconciled yet',
    /Reconcile a file for a partner/,
    '?status=failed',
    'Nothing fits this filter',
  ],
  ['/impact', 'There is no batch yet', /number of trees/, '?status=verified', 'Nothing fits this filter'],
  ['/reviews', 'No review waits', /^Every contribution is decided/, '?age=24', 'No review waits'],
] as const;

describe('without records', needsBrowser, () => {
  let page: Page;
  before(async () => {
    page = await browser.signedIn('viewer');
  });

  for (const [path, title, help, filter, underFilter] of LISTS)
    test(`${path} says that there is nothing yet and what brings the first, and under a filter that nothing fits`, async () => {
      await page.goto(browser.baseUrl + path);
      await page.getByText(title, { exact: true }).waitFor();
      await page.getByText(help).first().waitFor();
      await page.goto(browser.baseUrl + path + filter);
      await page.getByText(underFilter, { exact: true }).waitFor();
      assert.equal(await page.getByText(help).count(), 0);
    });

  for (const [path, list] of [
    ['/impact/new?period=2026-11', 'Every closed settlement is in a batch'],
    ['/operators?role=approver', 'There is no operator'],
    ['/jobs?outcome=failed', 'No job has run yet'],
  ] as const)
    test(`${path} says that nothing fits the filter, and not: ${list}`, async () => {
      const operator = await browser.signedIn('operator');
      await operator.goto(browser.baseUrl + path);
      await operator.getByText('Nothing fits this filter', { exact: true }).waitFor();
      assert.equal(await operator.getByText(list).count(), 0);
    });

  for (const filter of ['type=adjustment', 'type=adjustment&of=order-1'])
    test(`the lines of a settlement under ${filter} say that nothing fits the filter, and not that it has none`, async () => {
      const { partnerId, client, open } = await newSettledPartner(service as TestService);
      await client.confirm({ ...newConfirmation(), partner_order_ref: 'order-1' });
      await closeThrough(service as TestService, open);
      await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}?${filter}`);
      await page.getByText('Nothing fits this filter', { exact: true }).waitFor();
      for (const untrue of ['It has no lines', 'No line of this settlement is about it'])
        assert.equal(await page.getByText(untrue).count(), 0);
    });
});
