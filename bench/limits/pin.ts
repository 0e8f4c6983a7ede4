import { execFileSync } from 'node:child_process';
import { listChildren } from '../../reliability/harness/process-usage.ts';

/** Lets a process, all that it has started and all that they will start run on these cores only; not those below `except`. */
export function pin(pid: number, cores: readonly number[], except?: number): void {
  if (pid === except) return;
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores.join(','), String(pid)], { stdio: 'pipe' });
  } catch (error) {
    // It may have ended since it was listed.
    if (!String((error as { stderr?: Buffer }).stderr).includes('No such process')) throw error;
  }
  for (const child of listChildren(pid)) pin(child, cores, except);
}
