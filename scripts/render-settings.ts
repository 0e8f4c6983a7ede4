import { SETTINGS, type Setting } from '../src/config.ts';

/** Documents with a table of settings, and whether it has all that is to be said of each. */
export const SETTINGS_DOCUMENTS: Readonly<Record<string, { readonly isFull: boolean }>> = {
  'README.md': { isFull: false },
  'docs/operating.md': { isFull: true },
};

const TABLE = /(<!-- settings: npm run settings -->\n).*?(<!-- end of settings -->)/s;

/** The document with its table of settings as `src/config.ts` has them. */
export function renderSettings(path: string, text: string): string {
  const isFull = SETTINGS_DOCUMENTS[path]?.isFull ?? false;
  const rows = Object.entries<Setting>(SETTINGS).map(([name, setting]) => {
    const shownDefault = setting.shownDefault ?? (setting.default === undefined ? '–' : `\`${setting.default}\``);
    const meaning = isFull && setting.more ? `${setting.meaning}. ${setting.more}` : setting.meaning;
    return `| \`${name}\` | ${shownDefault} | ${meaning} |\n`;
  });
  const table = ['\n| Variable | Default | Meaning |\n|---|---|---|\n', ...rows, '\n'].join('');
  if (!TABLE.test(text)) throw new Error(`${path} has no table of settings between its two comments.`);
  return text.replace(TABLE, (_whole, start: string, end: string) => start + table + end);
}
