import { sealContributions } from '../../operations/audit/seal-contributions.ts';
import type { Job } from '../job.ts';

/** Seals what a release without seals has written; does nothing after that is done. */
export const sealContributionsJob: Job = {
  name: 'seal-contributions',
  description: 'seals contributions that a release without seals has written',
  pattern: '*/10 * * * *',
  run: ({ database, actor, signal }) => sealContributions(database, actor, { signal }),
};
