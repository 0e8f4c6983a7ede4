import type { FastifyRequest } from 'fastify';

const ARRIVAL_MS = 5_000;
const timers = new WeakMap<FastifyRequest['raw'], NodeJS.Timeout>();

/** A body that does not arrive in time is not waited for. */
export function limitArrival({ raw }: FastifyRequest): void {
  const timer = setTimeout(() => raw.complete || raw.destroy(), ARRIVAL_MS).unref();
  timers.set(raw, timer);
  raw.once('end', () => clearTimeout(timer));
  raw.once('close', () => clearTimeout(timer));
}

/** From whoever is signed in, and may, a list or a file takes its minutes. */
export function allowLongArrival({ raw }: FastifyRequest): void {
  clearTimeout(timers.get(raw));
}
