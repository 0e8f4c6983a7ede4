import { type Log, openLog } from '../observability/log.ts';

const open = new Set<Log>();
process.once('exit', () => {
  for (const log of open) log.writeRest();
});

/**
 * The log of a service. Where the process ends by itself without a stop, what can be written at once is: a line for which the reader has no
 * room, or which a signal such as SIGKILL forestalls, is lost.
 *
 * @param isShared Whether other processes of the service write to the same output.
 */
export function openServiceLog(level: string, isShared = false): Log {
  const log = openLog(level, isShared);
  open.add(log);
  const flush = async () => {
    await log.flush();
    open.delete(log);
  };
  return { ...log, flush };
}
