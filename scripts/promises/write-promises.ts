// Adds to openapi/v1-promises.txt what openapi/partner.json promises beyond it. What is lost would break programs of partners: it is named, and
// nothing is written.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { listPromises } from './list-promises.ts';

const target = new URL('../../openapi/v1-promises.txt', import.meta.url);
const now = listPromises(JSON.parse(await readFile(new URL('../../openapi/partner.json', import.meta.url), 'utf8')));
const before = existsSync(target) ? (await readFile(target, 'utf8')).trimEnd().split('\n') : [];
const lost = before.filter((promise) => !now.includes(promise));
if (lost.length > 0) {
  process.stderr.write(`These promises of /v1 are lost:\n${lost.map((promise) => `  ${promise}\n`).join('')}`);
  process.exitCode = 1;
} else {
  await writeFile(target, `${now.join('\n')}\n`);
  process.stdout.write(`Wrote openapi/v1-promises.txt: ${now.length} promises, ${now.length - before.length} of them new\n`);
}
