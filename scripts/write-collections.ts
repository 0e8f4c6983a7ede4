// Writes openapi/postman.json and the folder openapi/bruno from openapi/partner.json. A test fails when they are stale.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readExactJson } from '../src/wire/exact-json.ts';
import { type ApiDocument, renderBruno, renderPostman } from './render-collections.ts';

const folder = fileURLToPath(new URL('../openapi/', import.meta.url));
const document = readExactJson(await readFile(`${folder}partner.json`, 'utf8')) as ApiDocument;
await writeFile(`${folder}postman.json`, renderPostman(document));
await rm(`${folder}bruno`, { recursive: true, force: true });
for (const [path, text] of renderBruno(document)) {
  const target = `${folder}bruno/${path}`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}
process.stdout.write('Wrote openapi/postman.json and openapi/bruno\n');
