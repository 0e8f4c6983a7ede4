/** A period such as `2026-11-2` is the second settlement of a month: its days stand beside it wherever it is chosen or listed. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { formatDays } from '../../../console/src/format/time.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { closeThrough, getOpen, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

test('the days of a period end before the moment at which the next begins', () => {
  const zone = 'Asia/Riyadh';
  const [start, early, end] = ['2026-10-31T21:00:00Z', '2026-11-26T05:56:00Z', '2026-11-30T21:00:00Z'] as const;
  assert.equal(formatDays(start, end, { language: 'en', zone }), '1 – 30 Nov 2026'.replaceAll(' – ', '\u2009–\u2009'));
  assert.equal(formatDays(early, end, { language: 'ar', zone }), '26–30 نوفمبر 2026');
  assert.equal(formatDays(early, early, { language: 'en', zone }), '26 Nov 2026', 'closed as it was opened');
});

test('lists and the choice of a settlement show the days of a period, in both languages', needsBrowser, async () => {
  const { partner, partnerId, client, open: first } = await newSettledPartner(service);
  await client.confirm({ ...newConfirmation(), points: 100 });
  await closeThrough(service, first);
  const second = await getOpen(service.database, partnerId);
  await client.confirm({ ...newConfirmation(), points: 100 });
  await closeThrough(service, second);
  const { period } = await getOpen(service.database, partnerId);
  for (const language of ['en', 'ar'] as const) {
    const page = await browser.signedIn('operator', { language });
    const daysOf = ({ startsAt, endsAt, timeZone: zone }: typeof period) =>
      formatDays(startsAt.toISOString(), endsAt.toISOString(), { language, zone });
    await page.goto(`${browser.baseUrl}/closings?name=${partner.name}`);
    const row = page.getByRole('row').filter({ hasText: partner.name });
    await row.getByText(daysOf(period), { exact: true }).waitFor();
    const closed = await getClosed(partnerId);
    for (const path of [`/settlements?partner=${partnerId}`, `/impact/new?partner=${partnerId}`]) {
      await page.goto(browser.baseUrl + path);
      for (const { label, ...days } of closed)
        await page
          .getByRole('row')
          .filter({ hasText: label })
          .getByText(daysOf({ label, ...days }), { exact: true })
          .first()
          .waitFor();
    }
    const asked = page.waitForRequest((request) =>
      new URL(request.url()).pathname.endsWith(`/v1/partners/${partnerId}/settlements`),
    );
    await page.goto(`${browser.baseUrl}/reconciliations/new?partner=${partnerId}`);
    const { searchParams } = new URL((await asked).url());
    assert.equal(searchParams.get('status'), 'closed', 'the totals of the open one are added up for nobody');
    const [, last] = closed as [typeof period, typeof period];
    const field = language === 'en' ? 'Settlement' : 'التسوية';
    await choose(page, { field, option: `\u2066${last.label}\u2069 (${daysOf(last)})` });
  }
});

test('a settlement leads to the others of its partner, and an open one says of when its totals are', needsBrowser, async () => {
  const { partner, partnerId, open } = await newSettledPartner(service);
  await closeThrough(service, open);
  const { settlementId } = await getOpen(service.database, partnerId);
  const page = await browser.signedIn('viewer');
  const asOf = page.locator('dt').filter({ hasText: /^Totals of$/ });
  await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
  await page.getByRole('table', { name: 'How it adds up' }).waitFor();
  assert.equal(await asOf.count(), 0, 'those of a closed one are final');
  const trail = page.getByRole('navigation', { name: 'Where this page belongs' });
  await trail.getByRole('link', { name: partner.name }).click();
  await page.getByRole('row').filter({ hasText: 'Open' }).locator('[data-label="Period"]').click();
  await asOf.waitFor();
  assert.equal(new URL(page.url()).pathname, `/settlements/${partnerId}/${settlementId}`);
});

async function getClosed(partnerId: string) {
  const { rows } = await service.database.pool.query(
    `select period_label as label, period_start as "startsAt", period_end as "endsAt", period_timezone as "timeZone"
    from settlement where partner_id = $1 and status = 'closed' order by sequence`,
    [partnerId],
  );
  return rows;
}
