/**
 * What limits the service on more processor cores: measures what a request costs its parts, says how many requests that allows when the
 * parts share cores or have their own, and measures those too, as far as this machine has the cores.
 *
 *     npm run bench:limits -- [options]
 *
 *     --seconds N      how long each load takes (4)
 *     --rounds N       each figure is the median of so many rounds (3)
 *     --connections N  how many at once (128)
 *
 * It needs taskset and wrk. Exit code 1 when a request failed, or when rows and acknowledged answers differ.
 */
import { readArguments, readWhole } from '../../reliability/harness/arguments.ts';
import { Violations } from '../../reliability/harness/report.ts';
import { describeMachine } from '../subject/machine.ts';
import { measureLimits } from './measure-limits.ts';
import { renderLimits } from './tables.ts';

const given = readArguments(import.meta.filename, {
  seconds: { type: 'string', default: '4' },
  rounds: { type: 'string', default: '3' },
  connections: { type: 'string', default: '128' },
});
const seconds = readWhole('seconds', given.seconds, { min: 1, max: 600 });
const rounds = readWhole('rounds', given.rounds, { min: 1, max: 99 });
const connections = readWhole('connections', given.connections, { min: 1, max: 384 });

const violations = new Violations();
const limits = await measureLimits({ seconds, rounds, connections, onProblem: violations.report });
const { cores, cpuModel } = describeMachine();
const about = `${cores} × ${cpuModel}, ${connections} connections, ${seconds} s for each load, median of ${rounds} round(s)`;
process.stdout.write(`${about}\n${renderLimits(limits)}`);
process.exitCode = violations.printVerdict(`${limits.measured.length} placements of the parts`);
