// Writes the types of the SDK from openapi/partner.json. A test fails when they are stale.
import { readFile, writeFile } from 'node:fs/promises';
import { type Document, renderSdkTypes } from './render-sdk-types.ts';

const source = new URL('../openapi/partner.json', import.meta.url);
const target = new URL('../sdk/src/generated/types.ts', import.meta.url);
await writeFile(target, renderSdkTypes(JSON.parse(await readFile(source, 'utf8')) as Document));
process.stdout.write('Wrote sdk/src/generated/types.ts\n');
