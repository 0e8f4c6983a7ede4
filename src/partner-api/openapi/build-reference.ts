import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Environment } from '../../domain/access/api-key.ts';
import type { ReferenceFiles } from './reference-files.ts';

const PROGRAM = new URL(`./reference-worker${extname(import.meta.url)}`, import.meta.url);

/** Every file of the reference, made in a thread of its own: it takes half a second of the processor, in which others are answered. */
export async function buildReference(environment: Environment): Promise<ReferenceFiles> {
  const [files] = (await once(new Worker(PROGRAM, { workerData: environment }), 'message')) as [ReferenceFiles];
  return files;
}
