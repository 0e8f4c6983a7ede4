import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** What a figure is worth nothing without. */
export interface Machine {
  readonly cores: number;
  readonly cpuModel: string;
  readonly memoryGigabytes: number;
  readonly kernel: string;
  readonly node: string;
}

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpuModel: cpus()[0]?.model ?? 'unknown',
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
}

/** `1a2b3c4`, with `+` when the working tree differs from it. */
export function describeRevision(repository: string): string {
  const git = (...words: string[]) => execFileSync('git', ['-C', repository, ...words], { encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    // An unpacked archive.
    return 'unknown';
  }
}
