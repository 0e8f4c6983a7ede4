import { type Log, openLog } from '../observability/log.ts';

const open = new Set<Log>();
process.once('exit', () => {
  for (const log of open) log.writeRest();
});

/** The log of a service. Where the process ends without a stop, what can be written at once is; the rest, behind a write under way or a reader that lags, is lost. */
export function openServiceLog(level: string): Log {
  const log = openLog(level);
  open.add(log);
  const flush = async () => {
    await log.flush();
    open.delete(log);
  };
  return { ...log, flush };
}
