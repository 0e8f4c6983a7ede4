import type { Installation } from '../harness/installation.ts';
import { type AttackFigures, memoryAfterMax } from './measure-attack.ts';

const P99_ABOVE_QUIET_MS_MAX = 100;
const LATENESS_MS_MAX = 50;
const MEMORY_PEAK_MEGABYTES_MAX = 400;

/** What is wrong with the figures of an attack, in words. */
export function checkFigures(
  { attacker, quiet, beside, refused, honestRequests, latenessMs, memory, findings }: AttackFigures,
  { hasServiceEnded }: Pick<Installation, 'hasServiceEnded'>,
): string[] {
  const wrong = [...findings];
  if (hasServiceEnded) wrong.push('the service ended');
  if (attacker.bytesSent === 0) wrong.push('void: nothing was sent');
  if (latenessMs > LATENESS_MS_MAX) wrong.push(`void: the honest requests went out ${Math.round(latenessMs)} ms late`);
  const refusals = Object.entries(refused).map(([status, times]) => `${times} × ${status}`);
  if (refusals.length > 0) wrong.push(`of ${honestRequests} honest requests ${refusals.join(', ')}`);
  const aboveMs = beside.p99Ms - quiet.p99Ms;
  if (aboveMs > P99_ABOVE_QUIET_MS_MAX) wrong.push(`p99 is ${Math.round(aboveMs)} ms above the quiet one`);
  if (memory.after > memoryAfterMax(memory.before)) wrong.push(`memory is ${memory.after} MB after ${memory.before} MB`);
  if (memory.peak > MEMORY_PEAK_MEGABYTES_MAX) wrong.push(`memory was ${memory.peak} MB at most`);
  return wrong;
}
