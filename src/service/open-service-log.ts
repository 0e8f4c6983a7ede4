import { type Log, openLog } from '../observability/log.ts';

const open = new Set<Log>();
process.once('exit', () => {
  for (const log of open) log.writeRest();
});

/** The log of a service, which loses no line where the process ends without a stop. */
export function openServiceLog(level: string): Log {
  const log = openLog(level);
  open.add(log);
  const flush = async () => {
    await log.flush();
    open.delete(log);
  };
  return { ...log, flush };
}
