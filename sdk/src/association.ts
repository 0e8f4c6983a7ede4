import type { Link, Rejection } from './generated/types.ts';

/** Whether an estimate is linked. It never changes the contribution. */
export type Association =
  | { readonly status: 'associated'; readonly link: Link }
  | { readonly status: 'rejected'; readonly rejection: Rejection }
  | { readonly status: 'not_requested' };
