import { invalidRequest } from '../../domain/service-error.ts';

/** A number of trees, in digits; whether so many are possible is the operation's affair. Throws `invalid_request`. */
export function readTrees(digits: string): bigint {
  if (/^\d{1,20}$/.test(digits)) return BigInt(digits);
  const message = 'quantity must be a whole number of trees, in digits, such as 120.';
  throw invalidRequest([{ field: 'quantity', code: 'wrong_form', message }]);
}
