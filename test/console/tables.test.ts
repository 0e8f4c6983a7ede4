/** How tables are read in both languages: figures by unit, codes below their words, and sentences that one decides by. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/assertions/wait-for.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { signedInOperator } from '../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

interface Edges {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where the first text of an element stands, in whole pixels. */
const EDGES_OF_TEXT = `(element) => {
  const range = document.createRange();
  range.selectNodeContents(document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode());
  const { left, right, bottom } = range.getBoundingClientRect();
  return { left: Math.round(left), right: Math.round(right), bottom: Math.round(bottom) };
}`;

const edgesOf = (page: Page, selector: string) =>
  page.evaluate<Edges[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(${EDGES_OF_TEXT})`);

describe('a table', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const) {
    test(`has figures and the text of their heading at one edge on the right, ${language}`, async () => {
      await newPending();
      await newPending({ points: 12_500 });
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/reviews?partner=${partner.partnerId}`);
      await page.locator('.records td.figures').nth(1).waitFor();
      assert.equal(await page.locator('.records th.figures .sort-heading').count(), 1, 'the heading sorts');
      const edges = await edgesOf(page, '.records .figures');
      assert.equal(new Set(edges.map(({ right }) => right)).size, 1, JSON.stringify(edges));
      assert.ok(new Set(edges.map(({ left }) => left)).size > 1, 'figures of different lengths');
      const bottoms = (await edgesOf(page, '.records th:not(:has(input))')).map(({ bottom }) => bottom);
      assert.equal(new Set(bottoms).size, 1, `headings on one line: ${bottoms}`);
    });

    for (const width of [1280, 390] as const)
      test(`has a code at the edge of its words, ${language}, ${width}`, async () => {
        const page = await browser.signedIn('viewer', { language, width });
        await page.goto(`${browser.baseUrl}/jobs`);
        await page.locator('.records .coded .id').first().waitFor();
        const [words, codes] = [await edgesOf(page, '.records .coded'), await edgesOf(page, '.records .coded .id')];
        const isAtRight = (language === 'ar') === (width === 1280);
        const edge = (each: Edges) => (isAtRight ? each.right : each.left);
        assert.ok(words.length > 3);
        for (const [index, word] of words.entries()) assert.ok(Math.abs(edge(word) - edge(codes[index] as Edges)) <= 1);
      });
  }

  test('shows the reason of a failure in lines, and on a narrow screen across the card', async () => {
    const drafter = await signedInOperator(service, 'operator');
    const reason = 'The order is held by another contribution, and the customer has had the points back since Monday.';
    const refused = { partner_event_id: 'evt-refused', partner_order_ref: 'order-1002', points: '450' };
    await drafter.postOnce('/operator/v1/failures', { ...refused, partner_id: partner.partnerId, reason });
    const inArabic = { partner_event_id: 'evt-refused-2', partner_order_ref: 'order-1003', reason: 'رُدّت النقاط إلى العميل.' };
    await drafter.postOnce('/operator/v1/failures', { ...refused, ...inArabic, partner_id: partner.partnerId });
    for (const width of [1280, 390] as const) {
      const page = await browser.signedIn('viewer', { width });
      await page.goto(`${browser.baseUrl}/failures`);
      const text = page.getByText(reason);
      await text.waitFor();
      const isWhole = () =>
        text.evaluate(
          (each) => (each as unknown as HTMLElementSize).scrollHeight <= (each as unknown as HTMLElementSize).clientHeight,
        );
      await waitFor(`whole reason at ${width} pixels`, isWhole);
      const edges = await edgesOf(page, '.records td.sentences bdi');
      assert.equal(edges.length, 2);
      assert.equal(
        new Set(edges.map(({ left }) => left)).size,
        1,
        `both languages at the edge of the page: ${JSON.stringify(edges)}`,
      );
      const box = await text.boundingBox();
      if (width === 390) assert.ok((box?.width ?? 0) > 290, `${box?.width} pixels wide`);
    }
  });

  test('holds no name of a version apart from its own', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/rules?partner=${partner.partnerId}`);
    const version = page
      .locator('.records tbody tr')
      .first()
      .getByText(/^rule-/);
    const box = await version.boundingBox();
    assert.ok(box && box.height < 30, JSON.stringify(box));
  });
});

interface HTMLElementSize {
  readonly scrollHeight: number;
  readonly clientHeight: number;
}
