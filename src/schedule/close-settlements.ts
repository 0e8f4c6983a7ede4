import { closeDueSettlements } from '../operations/close-due-settlements.ts';
import type { SettlementTools } from '../operations/settlement-tools.ts';
import type { Job } from './job.ts';

/** Opens and closes settlements when their time has come. */
export function closeSettlementsJob(tools: SettlementTools): Job {
  return {
    name: 'close-settlements',
    pattern: '* * * * *',
    run: ({ database, signal }) => closeDueSettlements(database, tools, { signal }),
  };
}
