/** The orders and filters of lists: a heading, the choice on a narrow screen, and the address of the page say the same. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import operatorDocument from '../../openapi/operator.json' with { type: 'json' };
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { QUIET_ZONE } from '../support/clock/quiet-zone.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { choose } from '../support/console/choose.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { goWithin, showAddress } from '../support/console/go-within.ts';
import { setServiceTime } from '../support/console/service-time.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { insertContributionRule } from '../support/rules.ts';
import { OPEN_RATES } from '../support/service.ts';
import { endpointTools, newEndpoint } from '../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const NAMES = ['Zad Market', 'Amber Sweets', 'Malaz Books'];
if (scene) for (const name of NAMES) await createPartner(service.database, OWNER, name, OPEN_RATES);

/** The address has the order before the list does. */
async function untilNames(page: Page, wanted: readonly string[]): Promise<void> {
  const listed = async () =>
    (await page.locator('table tbody tr td:first-child').allInnerTexts()).filter((name) => NAMES.includes(name));
  await waitFor(`list of ${wanted.join(', ')}`, async () => isDeepStrictEqual(await listed(), wanted), listed);
}

describe('the list of partners', needsBrowser, () => {
  test('a heading sorts it, the address keeps the order, and Back undoes it', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners`);
    const heading = page.getByRole('columnheader', { name: 'Name' });
    await heading.getByRole('button').click();
    await page.waitForURL(/sort=name/);
    await page.getByRole('row').filter({ hasText: 'Amber' }).waitFor();
    await page.waitForFunction("document.querySelector('th[aria-sort=ascending]') !== null");
    await untilNames(page, NAMES.toSorted());
    await heading.getByRole('button').click();
    await page.waitForURL(/sort=-name/);
    await page.locator('th[aria-sort=descending]').waitFor();
    await untilNames(page, NAMES.toSorted().toReversed());
    await page.reload();
    await page.locator('th[aria-sort=descending]').waitFor();
    await untilNames(page, NAMES.toSorted().toReversed());
    await page.goBack();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await page.goBack();
    await untilNames(page, NAMES);
  });

  test('on a narrow screen a choice sorts it', async () => {
    const page = await browser.signedIn('viewer', { width: 390 });
    await page.goto(`${browser.baseUrl}/partners`);
    await choose(page, { field: 'Sort by', option: 'Name: A to Z' });
    await page.waitForURL(/sort=name/);
    await untilNames(page, NAMES.toSorted());
  });

  test('the button that clears the filters takes back what was typed a moment before', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners?status=active`);
    const clear = page.getByRole('button', { name: 'Clear filters' });
    await clear.waitFor();
    const typed = page.getByLabel('A part of the name');
    await typed.fill('malaz');
    await clear.click();
    await page.waitForURL((url) => url.search === '');
    await waitFor('empty field', async () => (await typed.inputValue()) === '');
    // Longer than typing waits before it is sent.
    await page.waitForTimeout(500);
    assert.equal(new URL(page.url()).search, '');
  });

  test('a filter ends before an emoji of which it has room for a half, and the list is read', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners`);
    const answer = page.waitForResponse((response) => response.url().includes('name=aaa'));
    await page.getByLabel('Name').fill(`${'a'.repeat(127)}\u{1f333}`);
    const { searchParams } = new URL((await answer).url());
    assert.deepEqual([searchParams.get('name'), (await answer).status()], ['a'.repeat(127), 200]);
  });

  test('filters are in the address, and one button clears them', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners?status=suspended`);
    await page.getByText('No partner').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Zad Market').waitFor();
    assert.equal(new URL(page.url()).search, '');
    await page.getByLabel('A part of the name').fill('malaz');
    await page.waitForURL(/name=malaz/);
    await page.getByText('Zad Market').waitFor({ state: 'detached' });
    await page.getByText('Malaz Books').waitFor();
    await untilNames(page, ['Malaz Books']);
    await page.goBack();
    await page.getByText('Zad Market').waitFor();
    await waitFor('empty field', async () => (await page.getByLabel('A part of the name').inputValue()) === '');
  });
});

describe('the list of contributions', needsBrowser, () => {
  test('the search finds one by how its event id begins, and shows that id', async () => {
    const beginning = uniqueId('begins');
    const { contribution } = (await client.confirm({ partner_event_id: `${beginning}-whole` })).body;
    const page = await browser.signedIn('viewer');
    await page.goto(browser.baseUrl);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search' }).fill(beginning);
    await page.getByRole('button', { name: `${beginning}-whole` }).click();
    await page.waitForURL(new RegExp(`/contributions/${partner.partnerId}/${contribution.transaction_id}$`));
  });

  test('without a choice it shows the latest; an order finds its contribution over all partners, and of one', async () => {
    const order = uniqueId('order');
    const { transaction_id } = (await client.confirm({ points: 120, partner_order_ref: order })).body.contribution;
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/contributions`);
    const row = page.getByRole('row').filter({ hasText: order });
    await row.getByRole('link', { name: 'Souq Express' }).waitFor();
    const inHand = page.getByLabel('Order, event id, contribution id or key');
    await inHand.fill('no-order-has-this');
    await page.getByText('No contribution fits these filters').waitFor();
    await inHand.fill(order);
    await row.waitFor();
    assert.equal(await page.locator('tbody tr').count(), 1);
    await choose(page, { field: 'Partner', option: 'بنك الواحة' });
    await page.getByText('No contribution fits these filters').waitFor();
    await choose(page, { field: 'Partner', option: 'Souq Express' });
    await row.click();
    await page.waitForURL(`${browser.baseUrl}/contributions/${partner.partnerId}/${transaction_id}`);
  });
});

test('the audit names an operator who was added after the names were read', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/audit`);
  await page.getByRole('row').nth(1).waitFor();
  const name = uniqueId('Nadia');
  const added = await createOperator(service.database, OWNER, { name, email: `${name}@example.org`, role: 'admin' });
  const admin = { ...OWNER, operatorId: added.operator.operatorId };
  await createPartner(service.database, admin, 'Made by Nadia', OPEN_RATES);
  await choose(page, { field: 'Action', option: /Partner created/, typed: 'partner.cr' });
  await page.getByRole('row').filter({ hasText: name }).waitFor();
});

test(
  'the audit is filtered by an action in words, and what the service did by itself has no role of a person',
  needsBrowser,
  async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/audit`);
    await choose(page, { field: 'Action', option: /Earlier records sealed/, typed: 'records sealed' });
    await page.waitForURL(/action=record\.seal/);
    const role = page.getByRole('row').filter({ hasText: 'The schedule of the service' }).first().locator('[data-label="Role"]');
    await role.getByText('Service', { exact: true }).waitFor();
  },
);

test('a partner, its keys and its rules were created in the zone of the partner', needsBrowser, async () => {
  const tokyo = await createPartner(service.database, OWNER, 'Kiku', { ...OPEN_RATES, timeZone: 'Asia/Tokyo' });
  await service.newPartner({ of: tokyo });
  await insertContributionRule(service.database, { partnerId: tokyo.partnerId });
  const page = await browser.signedIn('viewer');
  for (const [path, row] of [
    ['/partners?name=Kiku', 'Kiku'],
    [`/partners/${tokyo.partnerId}/set-up`, 'Active'],
    [`/rules?partner=${tokyo.partnerId}&kind=contribution_rule`, 'Kiku'],
  ] as const) {
    await page.goto(browser.baseUrl + path);
    const created = page
      .getByRole('row')
      .filter({ hasText: row })
      .locator(':is([data-label="Created"], [data-label="Since"])')
      .first();
    await created.getByText('Tokyo').waitFor();
  }
});

test('the overview begins with the month that it is for the reader', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await setServiceTime(page, Date.parse('2031-11-30T22:30:00Z'));
  await page.goto(browser.baseUrl);
  await page.getByRole('heading', { name: 'December 2031' }).waitFor();
  await page.getByRole('button', { name: 'Previous month' }).click();
  await page.getByRole('heading', { name: 'November 2031' }).waitFor();
});

test('the overview goes on to the month of a partner who is ahead of the reader, and no further', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await setServiceTime(page, Date.parse('2031-11-30T10:30:00Z'));
  await page.goto(browser.baseUrl);
  await page.getByRole('heading', { name: 'November 2031' }).waitFor();
  const next = page.getByRole('button', { name: 'Next month' });
  await next.click();
  await page.getByRole('heading', { name: 'December 2031' }).waitFor();
  assert.ok(await next.isDisabled());
});

test('what is over, and what may still be done, goes by the clock of the service', needsBrowser, async () => {
  const version = await insertContributionRule(service.database, { partnerId: partner.partnerId, starts: '1 hour' });
  await createPartner(service.database, OWNER, 'Kashta', { ...OPEN_RATES, timeZone: QUIET_ZONE });
  const page = await browser.signedIn('admin');
  await page.clock.setFixedTime(Date.now() + 70 * 86_400_000);
  await page.goto(`${browser.baseUrl}/rules?partner=${partner.partnerId}`);
  await page.getByRole('row', { name: version }).getByRole('button', { name: 'Withdraw' }).waitFor();
  await page.goto(`${browser.baseUrl}/closings?name=Kashta`);
  const row = page.getByRole('row').filter({ hasText: 'Kashta' });
  const ends = row.locator('[data-label="Ends"]');
  assert.match(await ends.innerText(), /^in /);
  await page.route(/\/operator\/v1\/overview$/, async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const webhooks = { ...answer.webhooks, waiting: 1, oldest_waiting_seconds: 7_230 };
    await route.fulfill({ response, json: { ...answer, webhooks } });
  });
  await page.goto(browser.baseUrl);
  await page.getByText('oldest 2 hours ago').waitFor();
});

test('a number of deliveries of the overview says that its count stopped', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await page.route(/\/operator\/v1\/overview$/, async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const webhooks = { ...answer.webhooks, waiting: 10_000, exhausted: 9_999 };
    await route.fulfill({ response, json: { ...answer, webhooks } });
  });
  await page.goto(browser.baseUrl);
  await page.getByRole('link').filter({ hasText: '10,000+' }).waitFor();
  await page.getByRole('link').filter({ hasText: '9,999' }).waitFor();
  assert.equal(await page.getByText('9,999+').count(), 0);
});

describe('a filter that is not shown', needsBrowser, () => {
  test('of the settlements of all partners ends when a partner is chosen', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/settlements?period=2026-01&currency=SAR&answer=accepted`);
    await page.getByRole('combobox', { name: 'Partner', exact: true }).fill('souq');
    await page.getByRole('option', { name: 'Souq Express' }).click();
    await page.waitForURL(/partner=/);
    const { searchParams } = new URL(page.url());
    assert.deepEqual([...searchParams.keys()].toSorted(), ['answer', 'partner']);
  });

  test('by a correlation id asks for nothing before the id is as long as one is', async () => {
    const page = await browser.signedIn('viewer');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/contributions?partner=${partner.partnerId}`);
    const asked: string[] = [];
    page.on('request', (request) => {
      const id = new URL(request.url()).searchParams.get('correlation_id');
      if (id !== null) asked.push(id);
    });
    const field = page.getByRole('textbox', { name: 'Correlation id' });
    await field.fill('corr-12');
    await page.clock.fastForward('00:01');
    await field.fill('corr-1234');
    await page.clock.fastForward('00:01');
    await page.getByText('No contribution fits these filters').waitFor();
    assert.deepEqual([...new Set(asked)], ['corr-1234']);
  });

  test('as the correlation id beside an order is said not to be applied', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/contributions?of=order-12&correlation=corr-12`);
    await page.getByText('The correlation id is left out').waitFor();
    await page.goto(`${browser.baseUrl}/contributions?of=order-12`);
    await page.getByText('Of all partners, what begins so').waitFor();
    assert.equal(await page.getByText('The correlation id is left out').count(), 0);
  });
});

describe('from a partner and from the close of the month', needsBrowser, () => {
  test('the page of a partner has its open settlement, with points, and what waits', async () => {
    const page = await browser.signedIn('viewer');
    const { rows } = await service.database.pool.query(
      `select settlement_id, period_label from settlement where partner_id = $1 and status = 'open'`,
      [partner.partnerId],
    );
    await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}`);
    const now = page.locator('section').filter({ hasText: 'Settlements and what waits for a decision' });
    await now
      .locator('dl > div')
      .filter({ hasText: /^Net points so far[1-9]/ })
      .waitFor();
    await now.getByText('Pending contributions').waitFor();
    await now.getByRole('link', { name: rows[0].period_label, exact: true }).click();
    await page.waitForURL(`${browser.baseUrl}/settlements/${partner.partnerId}/${rows[0].settlement_id}`);
  });

  test('a list of a partner that does not exist says so', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(browser.baseUrl);
    for (const list of ['contributions', 'reviews', 'settlements', 'adjustments', 'webhooks']) {
      await goWithin(page, `/${list}?partner=ptn_01M7Y4NYQYPG5MAQDP5ES1PVKD`);
      await page.getByText('No partner has this id').waitFor();
    }
    await page.goto(`${browser.baseUrl}/contributions?partner=ptn_01M7Y4NYQYPG5MAQDP5ES1PVKD`);
    await page.getByRole('heading', { name: 'Nothing is recorded here' }).waitFor();
  });

  test('the page of a partner leads to each of its lists, with the filter set', async () => {
    const page = await browser.signedIn('viewer');
    const lists = ['Contributions', 'Reviews', 'Failures', 'Webhooks', 'Adjustments', 'Settlements', 'Reconciliations', 'Rules'];
    await page.goto(browser.baseUrl);
    for (const name of [...lists, 'Audit']) {
      await goWithin(page, `/partners/${partner.partnerId}`);
      await page.getByRole('navigation', { name: 'Records of this partner' }).getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('partner'), partner.partnerId, name);
    }
  });

  test('in the close of the month the name of the partner and its row lead to the same checklist', async () => {
    const page = await browser.signedIn('viewer');
    const opened: string[] = [];
    for (const part of ['link', 'row'] as const) {
      await page.goto(`${browser.baseUrl}/closings`);
      const row = page.getByRole('row').filter({ hasText: 'Souq Express' });
      if (part === 'link') await row.getByRole('link', { name: 'Souq Express' }).click();
      else await row.getByRole('cell').nth(1).click();
      await page.getByText('Before it closes').waitFor();
      opened.push(new URL(page.url()).pathname);
    }
    assert.match(opened[0] ?? '', /^\/settlements\/ptn_\w+\/stl_\w+$/);
    assert.equal(opened[0], opened[1]);
  });
});

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: { readonly enum?: readonly string[] };
}

/** Where a page shows a list of the interface: its address, and the members of it that have other names. */
interface Shown {
  readonly page: string;
  readonly sort?: string;
  readonly members?: Readonly<Record<string, string>>;
  /** Of a filter whose value is no word of a list. */
  readonly values?: Readonly<Record<string, string>>;
}

const SETTLEMENT_ID = `stl_${'0'.repeat(26)}`;
const DAY = '2026-03-02';

/** What no page filters or sorts: the answers to one settlement, of which its page shows the dispute. */
const SHOWN_WHOLE = ['/operator/v1/partners/{partner_id}/settlements/{settlement_id}/acknowledgements'];

interface Ids {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly reconciliationId: string;
  readonly batchId: string;
  readonly endpoint: string;
}

function listShown({ partnerId, settlementId, reconciliationId, batchId, endpoint }: Ids): Record<string, Shown> {
  const partner = { partner_id: 'partner' };
  const own = { partner_id: partnerId };
  return {
    '/months/{month}/partners': { page: '/' },
    '/partners': { page: '/partners', values: { currency: 'SAR' } },
    '/partners/{partner_id}/keys': { page: `/partners/${partnerId}/set-up` },
    '/contributions': {
      page: `/contributions?partner=${partnerId}`,
      members: { ...partner, correlation_id: 'correlation', created_after: 'from', created_before: 'to' },
      values: { ...own, correlation_id: 'corr_1', of: 'order-1', created_after: DAY, created_before: DAY },
    },
    '/reviews': { page: '/reviews', members: { ...partner, opened_before: 'age' }, values: { ...own, opened_before: '6' } },
    '/failures': { page: '/failures', members: partner, values: own },
    '/rules': { page: '/rules', members: partner, values: own },
    '/settlements': {
      page: '/settlements',
      members: { acknowledgement: 'answer' },
      values: { period: '2026-03', currency: 'SAR' },
    },
    '/partners/{partner_id}/settlements': {
      page: `/settlements?partner=${partnerId}`,
      members: { acknowledgement: 'answer' },
    },
    '/partners/{partner_id}/settlements/{settlement_id}/lines': {
      page: `/settlements/${partnerId}/${settlementId}`,
      sort: 'lines',
      members: { line_type: 'type' },
      values: { of: 'order-1' },
    },
    '/closings': { page: '/closings' },
    '/reconciliations': {
      page: '/reconciliations',
      members: { ...partner, settlement_id: 'settlement' },
      values: { ...own, settlement_id: SETTLEMENT_ID },
    },
    '/partners/{partner_id}/reconciliations/{reconciliation_id}/lines': {
      page: `/reconciliations/${partnerId}/${reconciliationId}`,
    },
    '/adjustments': {
      page: '/adjustments',
      members: { ...partner, settlement_id: 'settlement', reason_code: 'reason' },
      values: { ...own, settlement_id: SETTLEMENT_ID },
    },
    '/projects': { page: '/impact', sort: 'projects', values: { country: 'SA' } },
    '/impact-batches': { page: '/impact', members: { project_id: 'project' }, values: { project_id: 'prj_1' } },
    '/impact-batches/{impact_batch_id}/settlements': {
      page: `/impact/${batchId}`,
      sort: 'pooled',
      members: { partner_id: 'of' },
      values: own,
    },
    '/unpooled-settlements': { page: `/impact/${batchId}`, members: partner, values: { ...own, period: '2026-03' } },
    '/endpoints': { page: '/webhooks', members: partner, values: own },
    '/partners/{partner_id}/deliveries': {
      page: `/webhooks/${endpoint}`,
      members: { event_type: 'type', event_id: 'event' },
      values: { event_id: 'evt_1', event_type: 'impact' },
    },
    '/operators': { page: '/operators' },
    '/audit': {
      page: '/audit',
      members: { ...partner, subject_id: 'subject', operator_id: 'operator', since: 'from', until: 'to' },
      values: { ...own, since: DAY, until: DAY },
    },
    '/job-runs': { page: '/jobs', values: { job: 'verify' } },
    '/jobs': { page: '/jobs', sort: 'jobs' },
  };
}

/** What the pages of single records show. */
async function makeRecords(): Promise<Ids> {
  const { partnerId } = partner;
  const approver = await signedInOperator(service, 'approver');
  await client.confirm({ points: 120 });
  const settlements = `/operator/v1/partners/${partnerId}/settlements`;
  const [open] = (await approver.get(settlements)).body.settlements;
  const settlementId = open.settlement_id;
  assert.equal((await approver.postOnce(`${settlements}/${settlementId}/close`, undefined)).status, 200);
  const file = 'partner_event_id,partner_order_ref,points\n';
  const begun = await approver.postList(`${settlements}/${settlementId}/reconciliations`, file);
  await completeReconciliations(service.database, new AbortController().signal);
  const batch = await approver.postOnce('/operator/v1/impact-batches', { name: 'Spring', quantity: '12' });
  await approver.postOnce('/operator/v1/projects', { name_en: 'Coast', name_ar: 'الساحل', country: 'SA' });
  const added = await newEndpoint(service, endpointTools(service.database));
  return {
    partnerId,
    settlementId,
    reconciliationId: begun.body.reconciliation_id,
    batchId: batch.body.impact_batch_id,
    endpoint: `${added.partner.partnerId}/${added.endpointId}`,
  };
}

describe('every list of the interface', needsBrowser, () => {
  let shown: Record<string, Shown> = {};
  const lists = Object.entries(operatorDocument.paths as Record<string, { get?: { parameters?: readonly Parameter[] } }>)
    .map(([path, { get }]) => ({ path, parameters: get?.parameters?.filter((each) => each.in === 'query') ?? [] }))
    .filter(({ path, parameters }) => !path.endsWith('.csv') && parameters.some(({ name }) => name === 'sort'))
    .filter(({ path }) => !SHOWN_WHOLE.includes(path));
  let page: Page;
  // What a suite without a chosen test would begin outside of its hooks, no hook ends.
  before(async () => {
    shown = listShown(await makeRecords());
    page = await browser.signedIn('viewer');
  });

  for (const { path, parameters } of lists)
    test(`${path}: each filter and each order has an address`, async () => {
      const {
        page: address,
        sort: member = 'sort',
        members = {},
        values = {},
      } = shown[path.replace('/operator/v1', '')] as Shown;
      const asked = (query: Readonly<Record<string, RegExp>>) =>
        page.waitForRequest((request) => {
          const { pathname, searchParams } = new URL(request.url());
          const isList = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
          return isList && Object.entries(query).every(([name, form]) => form.test(searchParams.get(name) ?? ''));
        });
      const visit = async (
        search: Readonly<Record<string, string>>,
        query: Readonly<Record<string, RegExp>>,
        open: (href: string) => Promise<unknown>,
      ) => {
        const url = new URL(address, browser.baseUrl);
        for (const [name, value] of Object.entries(search)) url.searchParams.set(name, value);
        await Promise.all([asked(query), open(url.href)]);
      };
      const filters = parameters.filter(({ name }) => !['limit', 'after', 'sort'].includes(name));
      const sentOf = ({ name, schema }: Parameter) => values[name] ?? schema.enum?.[0] ?? 'a';
      const filtered = Object.fromEntries(filters.map((each) => [members[each.name] ?? each.name, sentOf(each)]));
      await visit(filtered, Object.fromEntries(filters.map(({ name }) => [name, /./])), (href) => page.goto(href));
      const orders = parameters.find(({ name }) => name === 'sort')?.schema.enum ?? [];
      for (const order of orders)
        if (path.endsWith('/settlements'))
          await visit({ ...filtered, [member]: order }, { sort: new RegExp(`^${order}$`) }, (href) => page.goto(href));
        else await visit({ [member]: order }, { sort: new RegExp(`^${order}$`) }, (href) => showAddress(page, href));
    });
});
