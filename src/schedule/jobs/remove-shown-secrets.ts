import { removeShownSecrets } from '../../operations/access/remove-shown-secrets.ts';
import type { Job } from '../job.ts';

/** Removes what operators were shown once. */
export const removeShownSecretsJob: Job = {
  name: 'remove-shown-secrets',
  description: 'removes the secrets of answers to operators a day after they were given',
  pattern: '29 * * * *',
  run: async ({ database, signal }) => ({ secrets: await removeShownSecrets(database, signal) }),
};
