import { Type } from '../partner-api/schema-type.ts';
import type { Order } from '../store/ordered-list.ts';

type Sort<By extends string> = By | `-${By}`;

/** The orders of a list: `created_at` from the lowest, `-created_at` from the highest. */
export interface Sorting<By extends string> {
  /** The member of its query. */
  readonly member: { readonly sort: ReturnType<typeof sortMember<By>> };
  /** The order that the request names, or the usual one. */
  of(query: { readonly sort?: string }): Sort<By>;
  orderOf(query: { readonly sort?: string }): Order<By>;
}

function sortMember<By extends string>(names: readonly By[], usual: Sort<By>) {
  return Type.Optional(
    Type.Unsafe<Sort<By>>({
      type: 'string',
      enum: names.flatMap((name) => [name, `-${name}`]),
      default: usual,
      description: 'The order, by a member of the records; with `-` from the highest, or the latest.',
    }),
  );
}

/**
 * @param names Members of the records.
 * @param usual The order of a query without `sort`.
 */
export function sorting<By extends string>(names: readonly By[], usual: Sort<NoInfer<By>>): Sorting<By> {
  const of = ({ sort }: { readonly sort?: string }) => (sort ?? usual) as Sort<By>;
  return {
    member: { sort: sortMember(names, usual) },
    of,
    orderOf(query) {
      const sort = of(query);
      const isDescending = sort.startsWith('-');
      return { by: (isDescending ? sort.slice(1) : sort) as By, isDescending };
    },
  };
}
