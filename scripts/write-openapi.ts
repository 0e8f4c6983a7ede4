// Writes openapi/partner.json and openapi/operator.json from the routes. A test fails when one is stale.
import { writeFile } from 'node:fs/promises';
import { renderOperatorDocument } from '../src/operator-api/openapi/render-document.ts';
import { renderPartnerDocument } from '../src/partner-api/openapi/render-document.ts';

const texts = { 'partner.json': await renderPartnerDocument(), 'operator.json': renderOperatorDocument() };
for (const [name, text] of Object.entries(texts)) {
  await writeFile(new URL(`../openapi/${name}`, import.meta.url), text);
  process.stdout.write(`Wrote openapi/${name}\n`);
}
