/** A process that makes the files of the documentation of the environment that its parent names, sends each to it, and ends. */
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Environment } from '../../domain/access/api-key.ts';
import { buildDocsFiles } from './docs-files.ts';

const send = promisify((file: unknown, sent: (error: Error | null) => void) => process.send?.(file, undefined, undefined, sent));
const [environment] = (await once(process, 'message')) as [Environment];
for (const file of await buildDocsFiles(environment)) await send(file);
process.disconnect();
