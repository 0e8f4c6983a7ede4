import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Environment } from '../../domain/access/api-key.ts';
import type { DocsFiles } from './docs-files.ts';

const PROGRAM = new URL(`./docs-worker${extname(import.meta.url)}`, import.meta.url);

/** Every file of the documentation, made in a thread of its own: it takes half a second of the processor, in which others are answered. */
export async function buildDocs(environment: Environment): Promise<DocsFiles> {
  const [files] = (await once(new Worker(PROGRAM, { workerData: environment }), 'message')) as [DocsFiles];
  return files;
}
