// Writes the tables of settings of README.md and docs/operating.md from src/config.ts. A test fails when one is stale.
import { readFile, writeFile } from 'node:fs/promises';
import { renderSettings, SETTINGS_DOCUMENTS } from './render-settings.ts';

for (const path of Object.keys(SETTINGS_DOCUMENTS)) {
  const file = new URL(`../${path}`, import.meta.url);
  await writeFile(file, renderSettings(path, await readFile(file, 'utf8')));
  process.stdout.write(`Wrote the settings of ${path}\n`);
}
