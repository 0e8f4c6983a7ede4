/** Who used the processor: a load on the machine of the service takes from what it measures, so it is part of the figures. */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds of processor time that the living processes have used so far. */
export function processorSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + secondsOf(pid), 0);
}

function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which stands in brackets: state, then ten numbers, then user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Seconds of processor time that the whole machine has used so far, whoever used it. */
export function machineSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = line.trim().split(/\s+/).slice(1).map(Number);
  return (user + nice + system + interrupts + softInterrupts) / TICKS_PER_SECOND;
}
