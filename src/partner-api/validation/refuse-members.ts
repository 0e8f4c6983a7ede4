import { closed } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';
import { compilePart } from './compile-part.ts';
import { refuseProblems } from './problems.ts';

const validate = compilePart('body', Type.Object({}, closed));

/**
 * For a request of which no body is expected: an object without members may come.
 *
 * @throws ServiceError `invalid_request` with every member of the body as unknown, or for a body that is no object.
 * @see docs/spec/decisions.md#2-fields.
 */
export function refuseMembers(body: unknown): void {
  if (body !== undefined) refuseProblems(validate(body));
}
