import { addUpDays } from '../../operations/contributions/add-up-days.ts';
import { removeOldEvents } from '../../operations/events/remove-old-events.ts';
import type { Job } from '../job.ts';

/** Removes events, their deliveries and attempts, after this many days. */
export function removeOldEventsJob(days: number): Job {
  return {
    name: 'remove-old-events',
    description: `removes events, deliveries and attempts that are older than ${days} days`,
    pattern: '17 * * * *',
    async run({ database, signal }) {
      // What they say of each day is kept when they are gone.
      const addedUp = await addUpDays(database, { isOver: () => signal.aborted, waits: true });
      if (addedUp !== 'all') return { events: 0 };
      return { events: await removeOldEvents(database, days, signal) };
    },
  };
}
