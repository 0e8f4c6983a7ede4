/**
 * Draws the pictures of the console that README and docs/console.md show, from a first start with its sample data.
 *
 *     npm run console:pictures
 *
 * It takes a folder of its own for the data, free ports, and Debian's Chromium. It ends with the pictures in docs/console/.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Page } from 'playwright-core';
import { launchChromium, needsBrowser } from '../test/support/console/browser.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const PASSWORD = 'a password for pictures';
/** The link of the sign-in, and then that the sample data is there. */
const SAID = { link: /Console\s+(http\S+)/, ready: /Sample data: .*\bready\b/i } as const;

interface Picture {
  readonly name: string;
  readonly language: 'en' | 'ar';
  readonly path: string;
  /** Of the first row of a list, its page. */
  readonly opensFirst?: boolean;
}

const PICTURES: readonly Picture[] = [
  { name: 'overview-en', language: 'en', path: '/' },
  { name: 'reviews-ar', language: 'ar', path: '/reviews' },
  { name: 'closing-ar', language: 'ar', path: '/closings', opensFirst: true },
  { name: 'reconciliation-en', language: 'en', path: '/reconciliations', opensFirst: true },
];

if (needsBrowser.skip) throw new Error(needsBrowser.skip);
const folder = mkdtempSync(join(tmpdir(), 'partner-impact-pictures-'));
const service = spawn(process.execPath, [join(REPOSITORY, 'bin/partner-impact.mjs'), 'serve', '--first-call', '--demo'], {
  env: { ...process.env, DATA_DIR: folder, PORT: '0', OPERATIONS_PORT: '0' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
try {
  await draw(await untilReady());
} finally {
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** @returns The one-time link. */
async function untilReady(): Promise<string> {
  let link: string | undefined;
  const said = new PassThrough();
  for (const stream of [service.stdout, service.stderr]) stream.pipe(said);
  for await (const line of createInterface({ input: said })) {
    link ??= SAID.link.exec(line)?.[1];
    if (link !== undefined && SAID.ready.test(line)) return link;
  }
  throw new Error('The service ended before its sample data was ready.');
}

async function draw(link: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: 'Asia/Riyadh' });
    const page = await context.newPage();
    await page.goto(link);
    const passwords = page.locator('input[type=password]');
    for (const field of [passwords.first(), passwords.last()]) await field.fill(PASSWORD);
    await page.locator('form:has(input[type=password]) button[type=submit]').click();
    await page.locator('nav').first().waitFor({ state: 'attached' });
    for (const picture of PICTURES) await drawOne(page, new URL(link).origin, picture);
  } finally {
    await browser.close();
  }
}

async function drawOne(page: Page, origin: string, { name, language, path, opensFirst = false }: Picture): Promise<void> {
  await page.evaluate(`localStorage.setItem('console-language', '${language}')`);
  await page.goto(origin + path);
  await page.waitForLoadState('networkidle');
  if (opensFirst) {
    await page.locator('.row-link').first().click();
    await page.locator('main section').first().waitFor();
    await page.waitForLoadState('networkidle');
  }
  await page.screenshot({ path: join(REPOSITORY, 'docs/console', `${name}.png`), fullPage: true });
  console.log(`Drew docs/console/${name}.png`);
}
