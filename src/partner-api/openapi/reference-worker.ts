/** A thread that makes the files of the reference once, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Environment } from '../../domain/access/api-key.ts';
import { buildReferenceFiles } from './reference-files.ts';

parentPort?.postMessage(await buildReferenceFiles(workerData as Environment));
