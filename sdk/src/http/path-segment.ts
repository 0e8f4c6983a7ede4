import { InvalidValueError } from '../errors.ts';

/**
 * An id within a path. One that is missing would be the text `undefined`, of which the service says that nothing is recorded.
 *
 * @throws InvalidValueError
 */
export function pathSegment(name: string, id: string): string {
  if (typeof id !== 'string' || id === '') throw new InvalidValueError(name, 'the id as a string');
  return encodeURIComponent(id);
}
