import { ServiceError } from '../../domain/service-error.ts';
import type { OperatorApiTools } from '../app.ts';

/** Counts a sign-in that is refused for what was given. */
export async function countGuesses<Result>(
  { onSignInRefused }: Pick<OperatorApiTools, 'onSignInRefused'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isGuess(error)) onSignInRefused(error.code);
    throw error;
  }
}

/** A right password that lacks the code of the second factor is the first half of a sign-in. */
function isGuess(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.details.some(({ code }) => code === 'missing')) return false;
  return error.code === 'unauthorized' || error.code === 'rate_limited';
}
