import { closeDueSettlements } from '../../operations/settlements/close-due-settlements.ts';
import type { SettlementTools } from '../../operations/settlements/settlement-tools.ts';
import type { Job } from '../job.ts';

/** Opens and closes settlements that are due. */
export function closeSettlementsJob(tools: SettlementTools): Job {
  return {
    name: 'close-settlements',
    description: 'opens and closes settlements that are due',
    pattern: '* * * * *',
    run: ({ database, actor, signal }) => closeDueSettlements(database, actor, tools, { signal }),
  };
}
