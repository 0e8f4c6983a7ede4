/** A process that makes the files of the documentation, sends each to its parent, and ends. */
import { promisify } from 'node:util';
import type { Environment } from '../../domain/access/api-key.ts';
import { buildDocsFiles } from './docs-files.ts';

const send = promisify((file: unknown, sent: (error: Error | null) => void) => process.send?.(file, undefined, undefined, sent));
for (const file of await buildDocsFiles(process.argv[2] as Environment)) await send(file);
process.disconnect();
