/** What tests look at in the processes of a service. */
import { readFile } from 'node:fs/promises';
import { waitFor } from './assertions/wait-for.ts';
import type { Client } from './client.ts';

/** Asks until all of many at once are served: on a busy cluster the first connections of a process take longer than a request may wait. */
export function untilServing(client: Client): Promise<true> {
  return waitFor('a process that serves many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.confirm()));
    return answers.every(({ status }) => status === 201);
  });
}

export async function listChildren(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
