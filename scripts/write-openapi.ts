// Writes openapi/partner.json from the routes. A test fails when the file is stale.
import { writeFile } from 'node:fs/promises';
import { renderPartnerDocument } from '../src/partner-api/openapi/render-document.ts';

const path = new URL('../openapi/partner.json', import.meta.url);
await writeFile(path, await renderPartnerDocument());
process.stdout.write('Wrote openapi/partner.json\n');
