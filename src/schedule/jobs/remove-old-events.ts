import { addUpDays } from '../../operations/contributions/add-up-days.ts';
import { removeOldEvents } from '../../operations/events/remove-old-events.ts';
import { PartnersLeftError } from '../../operations/for-each-partner.ts';
import type { Job } from '../job.ts';

/** Removes events, their deliveries and attempts, and rehearsals of a sandbox, after this many days. */
export function removeOldEventsJob(days: number): Job {
  return {
    name: 'remove-old-events',
    description: `removes events, deliveries, attempts and rehearsals that are older than ${days} days`,
    pattern: '17 * * * *',
    async run({ database, signal }) {
      // What they say of each day is kept when they are gone.
      const addedUp = await addUpDays(database, { isOver: () => signal.aborted, waits: true }).catch(leftOnly);
      if (addedUp !== 'all' && !(addedUp instanceof PartnersLeftError)) return { events: 0 };
      const left = addedUp === 'all' ? undefined : addedUp;
      const events = await removeOldEvents(database, days, { signal, except: left?.partnerIds });
      if (left) throw left;
      return { events };
    },
  };
}

/** The days of all other partners are added up. */
function leftOnly(error: unknown): PartnersLeftError {
  if (error instanceof PartnersLeftError) return error;
  throw error;
}
