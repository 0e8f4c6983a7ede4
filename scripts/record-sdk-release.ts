/**
 * Adds the SHA-256 of the package to sdk/releases.txt, below the other versions, and its archive to sdk/releases/: what is served under a
 * version never changes. It refuses a version that is recorded with other bytes.
 */
import { createHash } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { archiveName } from '../src/partner-api/docs/pages.ts';
import { packSdk, RELEASES_FOLDER } from '../src/partner-api/docs/sdk-archive.ts';

const RELEASES = new URL('../sdk/releases.txt', import.meta.url);

const archive = await packSdk();
if (!archive) throw new Error('The package is not compiled: npm run sdk:build.');
const { version, bytes } = archive;
const sha256 = createHash('sha256').update(bytes).digest('hex');
const recorded = (await readFile(RELEASES, 'utf8')).split('\n').find((line) => line.startsWith(`${version} `));
if (recorded === undefined) {
  await appendFile(RELEASES, `${version} ${sha256}\n`);
  const folder = new URL(`../${RELEASES_FOLDER}`, import.meta.url);
  await writeFile(new URL(archiveName(version), folder), gzipSync(gunzipSync(bytes), { level: 9 }));
} else if (recorded !== `${version} ${sha256}`) throw new Error(`${version} is recorded with other bytes: raise the version.`);
console.log(`${version} ${sha256}`);
