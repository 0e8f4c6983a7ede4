import { closeDueSettlements } from '../../operations/settlements/close-due-settlements.ts';
import { RefusedClosings } from '../../operations/settlements/refused-closings.ts';
import type { SettlementTools } from '../../operations/settlements/settlement-tools.ts';
import type { Job } from '../job.ts';

/** Opens and closes settlements that are due. A closing that was refused is left alone for a while, except by a run by hand. */
export function closeSettlementsJob(tools: SettlementTools): Job {
  const refused = new RefusedClosings();
  return {
    name: 'close-settlements',
    description: 'opens and closes settlements that are due',
    pattern: '* * * * *',
    run: ({ database, actor, signal, isByHand }) =>
      closeDueSettlements(database, actor, tools, { signal, refused: isByHand ? undefined : refused }),
  };
}
