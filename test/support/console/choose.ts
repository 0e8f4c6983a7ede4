import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../assertions/wait-for.ts';

const LIST_STAYS_MS = 3_000;

export interface Choice {
  readonly field: string;
  readonly option: string | RegExp;
  /** Typed into the field first, as a search of its list. */
  readonly typed?: string;
}

/**
 * Chooses from the list of a field, again when the list closes before: whatever takes the focus from the field, as a dialog does while it
 * opens, closes it.
 */
export async function choose(within: Page | Locator, { field, option, typed }: Choice): Promise<void> {
  const box = within.getByRole('combobox', { name: field });
  const page = 'page' in within ? within.page() : within;
  await waitFor(`option ${option} of ${field}`, async () => {
    await box.click();
    if (typed !== undefined) {
      await box.fill('');
      await box.fill(typed);
    }
    return page
      .getByRole('option', { name: option })
      .first()
      .click({ timeout: LIST_STAYS_MS })
      .then(
        () => true,
        () => false,
      );
  });
}
