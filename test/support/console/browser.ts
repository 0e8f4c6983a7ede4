/** A browser on the operators' console of a real service. Whatever a page does that it must not do fails the test that did it. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, beforeEach } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Role } from '../../../src/domain/access/role.ts';
import { createOperator } from '../../../src/operations/access/manage-operator.ts';
import { OWNER } from '../actor.ts';
import { uniqueId } from '../client.ts';
import { signedInOperator } from '../operator-client.ts';
import type { TestService } from '../service.ts';
import { KeptWindows } from './kept-windows.ts';

/** The first does without the windows of a person, and takes half of the processor time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM'] ?? PROGRAMS.find((path) => existsSync(path));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the tests in a browser are skipped for: `skip` holds the reason, or false. */
export const needsBrowser: { readonly skip: string | false } = {
  skip:
    CHROMIUM !== undefined && existsSync(CHROMIUM)
      ? false
      : 'Chromium is not on this machine (Debian: apt-get install chromium-headless-shell)',
};

/** Ended by whoever launched it. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM as string,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--js-flags=--no-opt,--no-maglev,--max-semi-space-size=32',
    ],
  });
}

export interface Screen {
  readonly language?: 'en' | 'ar';
  readonly scheme?: 'light' | 'dark';
  readonly width?: 1280 | 390;
}

export function heightOf(width: number): number {
  return width === 390 ? 844 : 800;
}

type LeavingAnswer = 'stay' | 'leave';

export interface ConsoleBrowser {
  readonly baseUrl: string;
  /** An empty page in a window of its own, which has the session of a new person with a role. */
  signedIn(role: Role, screen?: Screen, name?: string): Promise<Page>;
  open(screen?: Screen): Promise<Page>;
  /**
   * What the person answers when the browser asks once whether to leave a page with what was typed on it. A question that no test expects is
   * an offence.
   *
   * @returns When it was asked.
   */
  answerLeaving(page: Page, answer: LeavingAnswer): Promise<void>;
  /** What the pages of this file did against the rules: reports of the policy, requests to others, errors. */
  readonly offences: readonly string[];
}

export async function openBrowser(service: TestService): Promise<ConsoleBrowser> {
  const browser = await launchChromium();
  after(() => browser.close());
  const baseUrl = `http://localhost:${service.operationsPort}`;
  const offences: string[] = [];
  const leavings: Leavings = new Map();
  const windows = new KeptWindows<Required<Screen>>(
    {
      kindOf: ({ language }) => language,
      open: ({ language }) => openWindow(browser, language, { baseUrl, offences, leavings }),
      fit: fitScreen,
    },
    `${baseUrl}/readyz`,
  );
  const taken: { readonly screen: Required<Screen>; readonly page: Page }[] = [];
  beforeEach(() => {
    // Those of a suite outlive its tests.
    taken.length = 0;
  });
  // A page that shows news would go on asking for it.
  const giveBack = async (screen: Required<Screen>, page: Page) => {
    // A test may end with something that is typed.
    leavings.set(page, { answer: 'leave', tell: () => {} });
    await windows.giveBack(screen, page);
    leavings.delete(page);
  };
  afterEach(() => Promise.all(taken.map(({ screen, page }) => giveBack(screen, page))));
  const open = async ({ language = 'en', scheme = 'light', width = 1280 }: Screen = {}) => {
    const screen = { language, scheme, width };
    const page = await windows.take(screen);
    taken.push({ screen, page });
    return page;
  };
  return {
    baseUrl,
    offences,
    open,
    answerLeaving: (page, answer) => new Promise<void>((tell) => leavings.set(page, { answer, tell })),
    async signedIn(role, screen, name) {
      const { cookie } = await signedInOperator(service, role, name);
      const page = await open(screen);
      const [cookieName = '', value = ''] = cookie.split('=');
      const terms = { domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' } as const;
      await page.context().addCookies([{ name: cookieName, value, ...terms }]);
      return page;
    },
  };
}

export async function newPerson({ database }: TestService, role: Role, name = `The ${role}`) {
  const email = `${uniqueId('person')}@example.org`;
  const { operator, signInCode: code } = await createOperator(database, OWNER, { name, email, role });
  return { email, code, operatorId: operator.operatorId };
}

interface Watch {
  readonly baseUrl: string;
  readonly offences: string[];
  readonly leavings: Leavings;
}

/** What is answered on a page to the next question of the browser. */
type Leavings = Map<Page, { readonly answer: LeavingAnswer; readonly tell: () => void }>;

async function openWindow(browser: Browser, language: string, watched: Watch): Promise<Page> {
  const context = await browser.newContext({ locale: language, timezoneId: 'Asia/Riyadh' });
  await watch(context, watched);
  return context.newPage();
}

async function fitScreen(page: Page, { scheme, width }: Required<Screen>): Promise<void> {
  // A person's click has it without a question; this browser refuses what is copied.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width, height: heightOf(width) });
  await page.emulateMedia({ media: null, colorScheme: scheme, reducedMotion: 'reduce', forcedColors: null, contrast: null });
}

async function watch(context: BrowserContext, { baseUrl, offences, leavings }: Watch): Promise<void> {
  context.setDefaultTimeout(15_000);
  await context.exposeFunction('reportOffence', (offence: string) => offences.push(offence));
  await context.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) =>
      reportOffence(['policy:', event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')));`,
  });
  context.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${baseUrl}/`))
      offences.push(`request: ${request.url()}`);
  });
  context.on('page', (page) => page.on('pageerror', (error) => offences.push(`error: ${error.stack}`)));
  context.on('dialog', (dialog) => {
    const page = dialog.page();
    const expected = dialog.type() === 'beforeunload' && page ? leavings.get(page) : undefined;
    if (!expected) offences.push(`dialog: ${dialog.type()} ${dialog.message()}`);
    if (page) leavings.delete(page);
    expected?.tell();
    void (expected?.answer === 'leave' ? dialog.accept() : dialog.dismiss());
  });
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds minor, and people who hear a page still miss. */
const MISSED = new Set(['empty-table-header']);

/** What axe finds serious or critical on a page, and what is missed, in a line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(
    'axe.run({ resultTypes: ["violations"], preload: false }).then((result) => result.violations)',
  )) as AxeViolation[];
  return violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || MISSED.has(id))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
    );
}
