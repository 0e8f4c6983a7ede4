import type { Language } from '../texts/text.ts';

/** `SA` → `Saudi Arabia`; a code that the browser does not know as it is. */
export function formatCountry(code: string, language: Language): string {
  return new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? code;
}
