/** A thread that makes the files of the documentation once, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Environment } from '../../domain/access/api-key.ts';
import { buildDocsFiles } from './docs-files.ts';

parentPort?.postMessage(await buildDocsFiles(workerData as Environment));
