import { distance } from 'fastest-levenshtein';
import { SETTINGS } from '../../config.ts';

/** At most so many characters are wrong in a name that was meant. */
const MISTYPED_MAX = 2;

/** Sentences about variables whose names are nearly those of settings that are not set, such as `DATABSE_URL`. */
export function describeMistypedNames(env: NodeJS.ProcessEnv): string[] {
  const unset = Object.keys(SETTINGS).filter((name) => env[name] === undefined && name.length > 3 * MISTYPED_MAX);
  const foreign = Object.keys(env).filter((name) => !Object.hasOwn(SETTINGS, name));
  return foreign.flatMap((name) => {
    const meant = unset.find((each) => distance(name.toUpperCase(), each) <= MISTYPED_MAX);
    return meant === undefined ? [] : [`${name} is no setting of this service. Did you mean ${meant}?`];
  });
}
