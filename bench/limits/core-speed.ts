import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const SECONDS = 1;
/** Reads and writes more than a cache of the first level holds, as the service does; prints its rounds in a second of processor time. */
const WORK = `const table = new Uint32Array(1 << 18); let [rounds, at] = [0, 1];
const until = performance.now() + ${SECONDS * 1_000}, before = process.cpuUsage();
while (performance.now() < until) { for (let n = 0; n < 1e5; n++) table[(at = (Math.imul(at, 1664525) + 1013904223) >>> 0) & 0x3ffff] += n; rounds++; }
const { user, system } = process.cpuUsage(before);
console.log(rounds / ((user + system) / 1e6));`;

/**
 * How fast a core works while all others work, against its speed alone. Two cores of a virtual machine are often one of the hardware,
 * which does two things at once: then it is 0.5 to 0.7, and what is measured on one busy core does not hold for two.
 */
export async function measureSharedSpeed(cores: readonly number[]): Promise<number> {
  const work = async (core: number) => {
    const words = ['--cpu-list', String(core), process.execPath, '-e', WORK];
    return Number((await promisify(execFile)('taskset', words)).stdout);
  };
  const alone: number[] = [];
  for (const core of cores) alone.push(await work(core));
  const together = await Promise.all(cores.map(work));
  return sum(together) / sum(alone);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
