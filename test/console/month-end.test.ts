/** What a person finds in the console at the end of a month: what a partner disputes, and what its list lacks. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { copyBy } from '../support/console/copy-by.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { closeThrough, getOpen, newSettledPartner, openFirst } from '../support/settlements.ts';

const opened = needsBrowser.skip ? undefined : await openScene();
const scene = (opened ?? {}) as Scene;
const { service, browser } = scene;
if (opened) after(() => assert.deepEqual(browser.offences, []));

describe('the close of a month', needsBrowser, () => {
  test('names every settlement that the partner disputes, the one before the last too, and leads to it', async () => {
    const { partner, partnerId, client, open: first } = await newSettledPartner(service);
    await closeThrough(service, first);
    const second = await getOpen(service.database, partnerId);
    await closeThrough(service, second);
    await client.post(`/v1/settlements/${first.settlementId}/acknowledgement`, { status: 'disputed' });
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/closings?name=${partner.name}`);
    const disputed = page.getByRole('row').filter({ hasText: partner.name }).locator('[data-label="Disputed settlements"]');
    await disputed.getByRole('link', { name: first.period.label, exact: true }).waitFor();
    assert.equal(await disputed.getByRole('link').count(), 1);
    await page.getByRole('row').filter({ hasText: partner.name }).locator('[data-label="Period"]').click();
    const checklist = page.locator('#checklist');
    await checklist.getByText('A dispute does not hold up the close.').waitFor();
    const trail = page.getByRole('navigation', { name: 'Where this page belongs' });
    await trail.getByRole('link', { name: 'Close of the month' }).waitFor();
    await page.getByRole('button', { name: 'Close now' }).click();
    await page.getByRole('dialog').getByRole('link', { name: first.period.label, exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await checklist.getByRole('link', { name: first.period.label, exact: true }).click();
    await page.getByText('The partner disputes this settlement').waitFor();
    assert.equal(new URL(page.url()).pathname, `/settlements/${partnerId}/${first.settlementId}`);
    assert.equal(await trail.getByRole('link', { name: 'Close of the month' }).count(), 0);
    const { rows } = await service.database.pool.query(
      `select name from operator join audit_entry using (operator_id) where action = 'settlement.close' and subject_id = $1`,
      [first.settlementId],
    );
    const closed = page
      .locator('dt')
      .filter({ hasText: /^Closed$/ })
      .locator('xpath=following-sibling::dd[1]');
    await closed.getByText(rows[0].name, { exact: true }).waitFor();
    await client.post(`/v1/settlements/${first.settlementId}/acknowledgement`, { status: 'accepted' });
    await page.goto(`${browser.baseUrl}/closings?name=${partner.name}`);
    await disputed.getByText('0', { exact: true }).waitFor();
  });
});

describe('the adjustments of a settlement', needsBrowser, () => {
  for (const [language, words] of [
    [
      'en',
      { show: 'Show 1 adjustment line', lines: 'Lines', of: 'Adjustments of its contributions', none: 'No adjustment of its' },
    ],
    ['ar', { show: 'عرض سطر تعديل واحد', lines: 'السطور', of: 'تعديلات مساهماتها', none: 'لا تعديل لمساهماتها' }],
  ] as const)
    test(`its adjustment points lead to its adjustment lines, which are of an earlier settlement, ${language}`, async () => {
      const { partnerId, client, open: first } = await newSettledPartner(service);
      const { body } = await client.confirm({ ...newConfirmation(), points: 100 });
      const { transaction_id, partner_order_ref: order } = body.contribution;
      await closeThrough(service, first);
      const id = await adjust(partnerId, transaction_id, '-45');
      await client.confirm({ ...newConfirmation(), points: 70 });
      const second = await getOpen(service.database, partnerId);
      await closeThrough(service, second);
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${second.settlementId}`);
      const rows = page.getByRole('table', { name: words.lines, exact: true }).locator('tbody tr');
      await waitFor('both lines', async () => (await rows.count()) === 2);
      await page.getByText(words.none).waitFor();
      const links = page.getByRole('link', { name: words.show });
      assert.equal(await links.count(), 2, 'beside the adjustment points, and where no adjustment of its contributions is');
      await links.first().click();
      await waitFor('the adjustment alone', async () => (await rows.count()) === 1);
      await waitFor('the lines in sight', async () => ((await page.locator('#lines').boundingBox())?.y ?? 9_999) < 800);
      await rows.getByText(order).waitFor();
      await rows.locator(`a[href="/adjustments/${partnerId}/${id}"]`).waitFor();
      await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${first.settlementId}`);
      await page.getByRole('heading', { name: words.of }).waitFor();
      await page.getByRole('cell', { name: '-45', exact: true }).waitFor();
      assert.equal(await links.count(), 0, 'it has no adjustment line');
    });
});

/** Posted by two operators. */
async function adjust(partnerId: string, transactionId: string, delta: string): Promise<string> {
  const [drafter, approver] = [await signedInOperator(service, 'operator'), await signedInOperator(service, 'approver')];
  const stated = { reason_code: 'other', points_delta: delta, reason_en: 'x', reason_ar: 'س' };
  const drafted = await drafter.postOnce('/operator/v1/adjustments', {
    partner_id: partnerId,
    transaction_id: transactionId,
    ...stated,
  });
  const id: string = drafted.body.adjustment.adjustment_id;
  const path = `/operator/v1/partners/${partnerId}/adjustments/${id}`;
  for (const step of ['approve', 'post']) await approver.postOnce(`${path}/${step}`, undefined);
  return id;
}

/**
 * A partner with a closed settlement of contributions of 100 points, and its list compared with that.
 *
 * @param deltas How the first of them are adjusted before.
 */
async function comparedList(
  count: number,
  listOf: (sent: readonly ReturnType<typeof newConfirmation>[]) => readonly string[],
  deltas: readonly string[] = [],
) {
  const { partner, partnerId, client, open } = await newSettledPartner(service);
  const { settlementId } = open;
  const sent = Array.from({ length: count }, () => ({ ...newConfirmation(), points: 100 }));
  const ids: string[] = [];
  for (const each of sent) ids.push((await client.confirm(each)).body.contribution.transaction_id);
  await closeThrough(service, open);
  for (const [place, delta] of deltas.entries()) await adjust(partnerId, ids[place] ?? '', delta);
  const operator = await signedInOperator(service, 'operator');
  const path = `/operator/v1/partners/${partnerId}/settlements/${settlementId}/reconciliations`;
  const { body } = await operator.postList(path, ['partner_event_id,partner_order_ref,points', ...listOf(sent), ''].join('\n'));
  await completeReconciliations(service.database, new AbortController().signal);
  return { partner, partnerId, client, settlementId, sent, ids, reconciliationId: body.reconciliation_id as string };
}

/** A list of an event that waits for a decision, of one that failed, and of one that was never sent; the settlement has none of them. */
async function unconfirmedList() {
  const { partnerId } = scene.partner;
  const { settlementId } = await openFirst(service.database, scene.partner);
  const events = { pending: uniqueId('event'), failed: uniqueId('event'), unknown: uniqueId('event') };
  const waits = await scene.newPending({ partner_event_id: events.pending, points: 7_000 });
  const fails = await scene.newPending({ partner_event_id: events.failed, points: 5_057 });
  const operator = await signedInOperator(service, 'operator');
  await operator.postOnce('/operator/v1/reviews/decisions', {
    decision: 'fail',
    reason: 'a test',
    contributions: [{ partner_id: partnerId, transaction_id: fails.transactionId }],
  });
  await closeThrough(service, { partnerId, settlementId });
  const lines = [
    `${events.pending},${waits.order},7000`,
    `${events.failed},${fails.order},5057`,
    `${events.unknown},order-of-nobody,3`,
  ];
  const path = `/operator/v1/partners/${partnerId}/settlements/${settlementId}/reconciliations`;
  const { body } = await operator.postList(path, ['partner_event_id,partner_order_ref,points', ...lines, ''].join('\n'));
  await completeReconciliations(service.database, new AbortController().signal);
  return { address: `/reconciliations/${partnerId}/${body.reconciliation_id}`, events, waits, fails };
}

describe('events that are not confirmed', needsBrowser, () => {
  test('are points of the file alone, in both languages', async () => {
    const { address } = await unconfirmedList();
    for (const [language, difference] of [
      ['en', '12,060 points more in the file than in the settlement.'],
      ['ar', 'نقاط الملف أكثر مما في التسوية بمقدار \u206612,060\u2069.'],
    ] as const) {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}${address}`);
      await page.getByText(difference).waitFor();
    }
  });

  for (const [language, words] of [
    [
      'en',
      {
        pending: ['Pending', 'Waits for the decision'],
        failed: ['Failed', 'Restores the points once'],
        unknown: ['Not recorded', 'sends the original confirmation again'],
        contribution: 'Contribution',
      },
    ],
    [
      'ar',
      {
        pending: ['قيد المعالجة', 'ينتظر القرار'],
        failed: ['فشلت', 'يعيد النقاط مرة واحدة'],
        unknown: ['غير مسجّلة', 'أعاد إرسال التأكيد الأصلي'],
        contribution: 'المساهمة',
      },
    ],
  ] as const)
    test(`each has its status, the way to its contribution, and what the partner does about that status, ${language}`, async () => {
      const { address, events, waits, fails } = await unconfirmedList();
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}${address}`);
      const rowOf = (event: string) => page.getByRole('row').filter({ hasText: event });
      for (const name of ['pending', 'failed', 'unknown'] as const)
        for (const text of words[name]) await rowOf(events[name]).getByText(text).first().waitFor();
      for (const [event, { transactionId }] of [
        [events.pending, waits],
        [events.failed, fails],
      ] as const)
        await rowOf(event).locator(`a[href="/contributions/${scene.partner.partnerId}/${transactionId}"]`).waitFor();
      assert.equal(await rowOf(events.unknown).locator(`[data-label="${words.contribution}"] a`).count(), 0);
      assert.equal(await rowOf(events.failed).getByText(words.unknown[1]).count(), 0);
    });
});

describe('a line that could not be read', needsBrowser, () => {
  test('is named beside the contributions that the file lacks, with the way to it', async () => {
    const { partnerId, reconciliationId, sent } = await comparedList(2, ([first, second]) => [
      `${first?.partner_event_id},${first?.partner_order_ref},100`,
      `${second?.partner_event_id},${second?.partner_order_ref},a hundred`,
    ]);
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${reconciliationId}`);
    const card = page.locator('.verdict-card').filter({ hasText: 'Not in the file' });
    await card.getByText('Unreadable lines may be among them').waitFor();
    await page.getByText('Not readable in the file: 1 line.').waitFor();
    await page
      .getByText('100 points fewer in the file than in the settlement. Points that could not be read are not in this sum.')
      .waitFor();
    await page.getByText('Points that could not be read are not in the total of the file.').waitFor();
    await page.getByRole('link', { name: 'Show the lines that are not readable' }).click();
    const row = page.getByRole('row').filter({ hasText: sent[1]?.partner_event_id as string });
    await row.getByRole('listitem').getByText('points must be a whole number, 0 or more.').waitFor();
    assert.equal(await row.locator('li .id').innerText(), 'points');
    assert.match(page.url(), /verdict=malformed/);
  });

  test('counts once, although the file seems to lack its contribution too, on the page, in the lists and in an answer', async () => {
    const { partnerId, client, settlementId, reconciliationId } = await comparedList(3, (sent) =>
      sent.map(({ partner_event_id, partner_order_ref }) => `${partner_event_id},${partner_order_ref},a hundred`),
    );
    await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed' });
    for (const [language, words, banner] of [
      ['en', 'Compared: 3 differences', /list was reconciled: 3 differences$/],
      ['ar', 'اكتملت المقارنة: 3 فروق', /طوبقت قائمة الشريك، والفروق: \u2066?3\u2069?$/],
    ] as const) {
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${reconciliationId}`);
      await page.getByText(words).waitFor();
      await page.goto(`${browser.baseUrl}/reconciliations?partner=${partnerId}`);
      await page.getByText(words).waitFor();
      await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
      await page.getByText(words).waitFor();
      await page.getByRole('alert').getByText(banner).waitFor();
      const answer = page.locator('#reply textarea').first();
      await waitFor('the list in the answer', async () => /\b3\b/.test(await answer.inputValue()));
      assert.doesNotMatch(await answer.inputValue(), /\b6\b/);
    }
  });

  test('says of points what is wrong with them: the most, decimals, digits of another script, separators', async () => {
    const written = ['99999999999999999999', '10.00', '٥٬٠٥٦', '"5,056"', '5,056'];
    const { partnerId, reconciliationId } = await comparedList(6, (sent) => [
      ...written.map((points, at) => `${sent[at]?.partner_event_id},${sent[at]?.partner_order_ref},${points}`),
      ` ${sent[5]?.partner_event_id} , ${sent[5]?.partner_order_ref} , 100 `,
    ]);
    for (const [language, reasons] of [
      [
        'en',
        [
          'at most 9223372036854775807',
          'without decimals',
          'in the digits 0 to 9',
          'without separators of thousands',
          'more values than',
        ],
      ],
      ['ar', ['على 9223372036854775807', 'دون كسور عشرية', 'بالأرقام من 0 إلى 9', 'دون فواصل الآلاف', 'أكثر من أعمدة']],
    ] as const) {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${reconciliationId}?verdict=malformed`);
      for (const reason of reasons) await page.getByRole('listitem').getByText(reason).waitFor();
      assert.equal(await page.getByRole('listitem').getByText('points').count(), written.length - 1);
    }
  });

  test('is not spoken of where every line could be read', async () => {
    const { partnerId, reconciliationId } = await comparedList(1, () => [`${uniqueId('event')},order-of-nobody,1`]);
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${reconciliationId}?verdict=missing_in_partner_file`);
    await page.locator('.verdict-card[aria-pressed=true]').filter({ hasText: 'Not in the file' }).waitFor();
    assert.equal(await page.getByText('Not readable in the file').count(), 0);
    assert.equal(await page.getByText('Unreadable lines').count(), 0);
  });
});

describe('a list for a reconciliation', needsBrowser, () => {
  test('offers an adjustment where it has fewer points, and has no column for it where it has more', async () => {
    const page = await browser.signedIn('operator');
    for (const [points, count] of [
      [60, 1],
      [160, 0],
    ] as const) {
      const { partnerId, reconciliationId } = await comparedList(1, ([sent]) => [
        `${sent?.partner_event_id},${sent?.partner_order_ref},${points}`,
      ]);
      await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${reconciliationId}`);
      const lines = page.getByRole('table', { name: 'Lines' });
      await lines.getByRole('cell', { name: String(points), exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.getByRole('columnheader', { name: 'Adjustment', exact: true }).count(), count);
      assert.equal(await page.getByRole('button', { name: 'Draft an adjustment' }).count(), count);
    }
  });

  for (const [language, words] of [
    [
      'en',
      {
        table: 'Points of file and settlement',
        rows: ['The whole file', 'The settlement, as contributed', 'The same contributions, with adjustments'],
        unread: 'Points that could not be read are not in the total',
      },
    ],
    [
      'ar',
      {
        table: 'نقاط الملف والتسوية',
        rows: ['الملف كله', 'التسوية كما قُدِّمت نقاطها', 'المساهمات نفسها بعد التعديلات'],
        unread: 'النقاط التي تعذّرت قراءتها ليست في مجموع الملف.',
      },
    ],
  ] as const)
    test(`has its total beside the totals of the settlement, with adjustments where they differ, ${language}`, async () => {
      const textOf = (each: ReturnType<typeof newConfirmation> | undefined, points: number | string) =>
        `${each?.partner_event_id},${each?.partner_order_ref},${points}`;
      const listOf = (sent: readonly ReturnType<typeof newConfirmation>[]) => [
        textOf(sent[0], 60),
        textOf(sent[1], 100),
        textOf(sent[1], 100),
        `${uniqueId('event')},order-of-nobody,1000`,
      ];
      const adjusted = await comparedList(3, (sent) => [...listOf(sent), textOf(sent[2], 'a hundred')], ['-40']);
      const plain = await comparedList(3, listOf);
      const page = await browser.signedIn('viewer', { language });
      const rows = page.getByRole('table', { name: words.table }).locator('tbody tr');
      const shown = async ({ partnerId, reconciliationId }: typeof plain) => {
        await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${reconciliationId}`);
        await rows.first().waitFor();
        return (await rows.allInnerTexts()).map((row) => row.split(/\s*\t\s*/).map((cell) => cell.trim()));
      };
      const [file, gross, net] = words.rows;
      assert.deepEqual(await shown(adjusted), [
        [file, '1,260', ''],
        [gross, '300', '960'],
        [net, '260', '1,000'],
      ]);
      await page.getByText(words.unread).waitFor();
      assert.deepEqual(await shown(plain), [
        [file, '1,260', ''],
        [gross, '300', '960'],
      ]);
      assert.equal(await page.getByText(words.unread).count(), 0);
    });

  test('offers to take back what is settled of a contribution that it lacks, and nothing where 0 are settled', async () => {
    const list = await comparedList(3, () => [`${uniqueId('event')},order-of-nobody,1`], ['-100', '-40']);
    const { partnerId, reconciliationId, sent, ids } = list;
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${reconciliationId}?verdict=missing_in_partner_file`);
    const rowOf = (place: number) => page.getByRole('row').filter({ hasText: sent[place]?.partner_event_id as string });
    const net = (place: number) => rowOf(place).locator('[data-label="Net with adjustments"]');
    for (const [place, points] of ['0', '60', '100'].entries()) await net(place).getByText(points, { exact: true }).waitFor();
    const draft = { name: 'Draft an adjustment' };
    await rowOf(2).getByRole('button', draft).waitFor();
    assert.equal(await rowOf(0).getByRole('button', draft).count(), 0);
    await page.locator('.verdict-card[aria-pressed=true]').getByText('160 in the settlement').waitFor();
    await rowOf(1).getByRole('button', draft).click();
    const form = page.getByRole('dialog');
    assert.equal(await form.getByLabel('Change of points').inputValue(), '-60');
    await form.getByRole('row', { name: /^Settled points 60 0$/ }).waitFor();
    // What was posted after the comparison counts too.
    await adjust(partnerId, ids[2] ?? '', '-100');
    await page.reload();
    await rowOf(1).getByRole('button', draft).waitFor();
    assert.equal(await rowOf(2).getByRole('button', draft).count(), 0);
  });

  for (const [language, words] of [
    ['en', { copy: 'Copy the heading row', example: 'Download an example file', first: 'Choose the partner and the settlement' }],
    ['ar', { copy: 'نسخ صف العناوين', example: 'تنزيل ملف مثال', first: 'اختر الشريك والتسوية أولًا.' }],
  ] as const)
    test(`its columns are shown before a partner is chosen, to copy, and an example file is one that the service takes, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${browser.baseUrl}/reconciliations/new`);
      await page.getByText(words.first).waitFor();
      const names = await page.getByRole('listitem').locator('.id').allInnerTexts();
      assert.deepEqual(names, ['partner_event_id', 'partner_order_ref', 'points']);
      await copyBy(page, words.copy);
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), names.join());
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: words.example }).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'example-list.csv');
      const [heading, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
      assert.equal(heading, names.join());
      const { partnerId, reconciliationId } = await comparedList(1, () => lines);
      const operator = await signedInOperator(service, 'viewer');
      const path = `/operator/v1/partners/${partnerId}/reconciliations/${reconciliationId}`;
      const { counts } = (await operator.get(path)).body;
      assert.deepEqual([counts.malformed, counts.missing_in_service], [0, 1]);
    });

  test('a line of another settlement names its period, which is read once', async () => {
    const { partnerId, client, open: first } = await newSettledPartner(service);
    const { body } = await client.confirm({ ...newConfirmation(), points: 100 });
    const { partner_event_id, partner_order_ref } = body.contribution;
    await closeThrough(service, first);
    const second = await getOpen(service.database, partnerId);
    await closeThrough(service, second);
    const operator = await signedInOperator(service, 'operator');
    const list = `partner_event_id,partner_order_ref,points\n${partner_event_id},${partner_order_ref},100\n`;
    const path = `/operator/v1/partners/${partnerId}/settlements/${second.settlementId}/reconciliations`;
    const sent = await operator.postList(path, list);
    await completeReconciliations(service.database, new AbortController().signal);
    const page = await browser.signedIn('viewer');
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith(`/settlements/${first.settlementId}`)) reads.push(request.url());
    });
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/reconciliations/${partnerId}/${sent.body.reconciliation_id}?verdict=other_settlement`);
    const cell = page.locator('[data-label="Settlement that has it"]');
    await cell.getByText(first.period.label, { exact: true }).waitFor();
    // What may change is read again meanwhile.
    const again = page.waitForResponse(`**/reconciliations/${sent.body.reconciliation_id}`);
    await page.clock.runFor(61_000);
    await again;
    assert.equal(reads.length, 1);
    await cell.getByRole('link', { name: first.settlementId.slice(-6) }).click();
    await page.waitForURL(`**/settlements/${partnerId}/${first.settlementId}`);
  });
});

describe('the answer to a dispute', needsBrowser, () => {
  test('names the first orders that differ, ten at most, and how many more there are, in both languages', async () => {
    const { partnerId, client, settlementId, sent } = await comparedList(12, ([first]) => [
      `${first?.partner_event_id},${first?.partner_order_ref},60`,
      `${uniqueId('event')},order-of-nobody,7`,
    ]);
    await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed' });
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
    const answer = page.getByRole('textbox', { name: 'Answer to the partner' });
    await waitFor('the lines in the text', async () => (await answer.inputValue()).includes('These differed'));
    const lines = async () => (await answer.inputValue()).replaceAll(/[\u2066-\u2069]/g, '').split('\n');
    const english = await lines();
    const [first, ...rest] = english.slice(english.indexOf('These differed when we compared:') + 1);
    assert.match(
      first ?? '',
      new RegExp(`^- Order ${sent[0]?.partner_order_ref}, event .+: 60 points in your list, 100 points with us`),
    );
    assert.match(rest[0] ?? '', /^- Order order-of-nobody, event .+: 7 points in your list, not confirmed with us\.$/);
    assert.ok(rest.slice(1, 9).every((line) => line.endsWith(': 100 points with us, not in your list.')));
    assert.equal(rest[9], 'And 3 more.');
    await page.getByText('In Arabic').click();
    assert.ok((await lines()).includes('وعدد ما لم يُذكر هنا: 3.'));
  });
});
