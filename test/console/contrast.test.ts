/** What axe does not look at: grounds against the card on which they stand, and texts of what is disabled. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { monthsAnywhere } from '../../console/src/format/time.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** @param css `rgb(…)` or `rgba(…)`, as a browser computes a colour. */
function readColour(css: string): Colour {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, alpha];
}

function over(top: Colour, below: Colour): Colour {
  const mixed = (index: 0 | 1 | 2) => top[index] * top[3] + below[index] * (1 - top[3]);
  return [mixed(0), mixed(1), mixed(2), 1];
}

/** The relative luminance of WCAG 2.2: 0 is black, 1 is white. */
function luminanceOf([red, green, blue]: Colour): number {
  const linear = (channel: number) => (channel <= 10 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function contrastOf(one: Colour, other: Colour): number {
  const [low, high] = [luminanceOf(one), luminanceOf(other)].sort((first, second) => first - second) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

interface Styles {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
}

function styleOf(element: Locator, property: string): Promise<string> {
  return element.evaluate(
    (each, name) => (globalThis as unknown as Styles).getComputedStyle(each).getPropertyValue(name),
    property,
  );
}

async function colourOf(element: Locator, property: 'color' | 'background-color'): Promise<Colour> {
  const [red, green, blue, alpha] = readColour(await styleOf(element, property));
  return [red, green, blue, alpha * Number(await styleOf(element, 'opacity'))];
}

describe('the chosen page of the menu', needsBrowser, () => {
  for (const scheme of ['light', 'dark'] as const)
    test(`looks the same under the pointer, and another one does not, ${scheme}`, async () => {
      const page = await browser.signedIn('viewer', { scheme });
      await page.goto(`${browser.baseUrl}/rules`);
      for (const [entry, changes] of [
        [page.locator('.nav-link[aria-current=page]'), false],
        [page.locator('.nav-link:not([aria-current])').first(), true],
      ] as const) {
        const before = await colourOf(entry, 'background-color');
        await entry.hover();
        const after = await colourOf(entry, 'background-color');
        assert.equal(String(after) !== String(before), changes);
      }
    });
});

describe('in the dark', needsBrowser, () => {
  test('badges and the chosen page of the menu are lighter than the card', async () => {
    const page = await browser.signedIn('viewer', { scheme: 'dark' });
    await page.goto(`${browser.baseUrl}/rules`);
    const card = await colourOf(page.locator('.records-frame'), 'background-color');
    for (const element of [page.locator('.records .mantine-Badge-root').first(), page.locator('.nav-link[aria-current=page]')]) {
      const ground = over(await colourOf(element, 'background-color'), card);
      assert.ok(luminanceOf(ground) > luminanceOf(card));
      assert.ok(contrastOf(ground, card) >= 1.3, `${contrastOf(ground, card)}`);
    }
  });
});

describe('what is disabled', needsBrowser, () => {
  for (const scheme of ['light', 'dark'] as const)
    test(`can be read: a contrast of 3 at least, ${scheme}`, async () => {
      const page = await browser.signedIn('operator', { scheme });
      const card = scheme === 'light' ? readColour('rgb(255, 255, 255)') : readColour('rgb(22, 27, 25)');
      await page.goto(`${browser.baseUrl}/reconciliations/new`);
      const field = page.locator('input:disabled').first();
      const read = async (element: Locator) => {
        const ground = over(await colourOf(element, 'background-color'), card);
        return contrastOf(over(await colourOf(element, 'color'), ground), ground);
      };
      const ofField = await read(field);
      assert.ok(ofField >= 3, `field: ${ofField}`);
      // Behind the latest month that has begun anywhere there is none.
      await page.goto(`${browser.baseUrl}/?month=${monthsAnywhere(Date.now()).latest}`);
      const ofButton = await read(page.locator('main button:disabled').first());
      assert.ok(ofButton >= 3, `button: ${ofButton}`);
    });
});
