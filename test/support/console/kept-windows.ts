/**
 * Windows that one test after the other uses. A new one costs three times as much processor time as the page that it shows: a process of
 * the browser of its own, in which nothing of the console is compiled yet.
 */
import type { Page } from 'playwright-core';

/** What nothing takes back: a window in which a test used it is closed after that test. */
const LASTING_OF_PAGE = ['clock', 'on', 'once', 'addInitScript', 'exposeFunction', 'close'] as const;
const LASTING_OF_CONTEXT = ['newPage', 'newCDPSession', 'addInitScript', 'close'] as const;

export interface WindowKinds<Screen> {
  /** What a window is opened with and cannot change: those of the same kind can take each other's place. */
  kindOf(screen: Screen): string;
  open(screen: Screen): Promise<Page>;
  /** Gives a window everything else of a screen. */
  fit(page: Page, screen: Screen): Promise<void>;
}

export class KeptWindows<Screen> {
  readonly #kinds: WindowKinds<Screen>;
  /** A page of the service without the console, which keeps the process of the window. */
  readonly #restUrl: string;
  /** By their kind. */
  readonly #free = new Map<string, Page[]>();
  readonly #changed = new WeakSet<Page>();

  constructor(kinds: WindowKinds<Screen>, restUrl: string) {
    this.#kinds = kinds;
    this.#restUrl = restUrl;
  }

  async take(screen: Screen): Promise<Page> {
    const kept = this.#freeOf(screen).pop();
    const page = kept ?? (await this.#kinds.open(screen));
    await this.#kinds.fit(page, screen);
    if (kept) return kept;
    const tell = () => this.#changed.add(page);
    tellUse(page, LASTING_OF_PAGE, tell);
    tellUse(page.context(), LASTING_OF_CONTEXT, tell);
    return page;
  }

  /** Takes everything of a test out of its window, or closes it. */
  async giveBack(screen: Screen, page: Page): Promise<void> {
    const isKept = !this.#changed.has(page) && (await this.#clear(page).catch(() => false));
    if (isKept) this.#freeOf(screen).push(page);
    else await page.context().close();
  }

  #freeOf(screen: Screen): Page[] {
    const kind = this.#kinds.kindOf(screen);
    const free = this.#free.get(kind) ?? [];
    this.#free.set(kind, free);
    return free;
  }

  async #clear(page: Page): Promise<boolean> {
    const context = page.context();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)]);
    if (page.url() === 'about:blank') return true;
    await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    await page.goto(this.#restUrl);
    return true;
  }
}

/** @param tell Called before one of these is used. */
function tellUse<Target extends object>(target: Target, names: readonly (keyof Target)[], tell: () => void): void {
  for (const name of names) {
    const value = target[name];
    Object.defineProperty(target, name, {
      get() {
        tell();
        return value;
      },
    });
  }
}
