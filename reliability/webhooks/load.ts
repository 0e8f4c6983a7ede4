import { setTimeout as sleep } from 'node:timers/promises';
import type { Intent } from '../harness/intent.ts';
import type { Member } from './members.ts';

export interface Contribution {
  readonly member: Member;
  readonly intent: Intent;
}

/** While the service is away what is begun waits, and nothing more is begun: its return would be a stampede else. */
const OPEN_MAX = 48;

/** The contributions of all members, taken in turn. */
export function takeTurns(members: readonly Member[]): Contribution[] {
  const longest = Math.max(...members.map(({ intents }) => intents.length));
  return Array.from({ length: longest }, (_, index) =>
    members.flatMap((member) => {
      const intent = member.intents[index];
      return intent ? [{ member, intent }] : [];
    }),
  ).flat();
}

/** Begins contributions at a fixed rate, whatever becomes of the earlier ones; resolves when all are settled. */
export async function contributeAtRate(contributions: readonly Contribution[], perSecond: number): Promise<void> {
  const startedAt = performance.now();
  const open = new Set<Promise<void>>();
  for (const [index, contribution] of contributions.entries()) {
    const early = startedAt + (index * 1_000) / perSecond - performance.now();
    if (early > 0) await sleep(early);
    while (open.size >= OPEN_MAX) await Promise.race(open);
    const work = contribute(contribution).finally(() => open.delete(work));
    open.add(work);
  }
  await Promise.all(open);
}

async function contribute({ member: { server, times }, intent }: Contribution): Promise<void> {
  const time = { begunAtMs: performance.now(), settledAtMs: Number.POSITIVE_INFINITY };
  times.set(intent.partnerEventId, time);
  await server.contribute(intent);
  time.settledAtMs = performance.now();
}
