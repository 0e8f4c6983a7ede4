import { Worker } from 'node:worker_threads';
import type { Load, LoadFigures } from './load-generator.ts';

/** Makes load in a thread of its own, and measures it. */
export function runLoad(load: Load): Promise<LoadFigures> {
  const worker = new Worker(new URL('./load-generator.ts', import.meta.url), { workerData: load });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}
