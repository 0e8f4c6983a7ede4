import { CONTRIBUTION_STATUSES } from '../../domain/contributions/contribution-status.ts';
import { Echo } from '../envelope-schemas.ts';
import { pageAnswer, pageQuery } from '../paging.ts';
import { closed } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';
import { Contribution } from './contribution-schemas.ts';

export const CONTRIBUTION_PAGE = { default: 100, max: 500 } as const;

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

export const ListContributionsQuery = Type.Object(
  {
    ...pageQuery(CONTRIBUTION_PAGE),
    created_after: time('Contributions that were recorded at this time or later.'),
    created_before: time('Contributions that were recorded before this time.'),
    status: Type.Optional(
      Type.Unsafe<(typeof CONTRIBUTION_STATUSES)[number]>({
        type: 'string',
        enum: [...CONTRIBUTION_STATUSES],
        description: 'Contributions that have this status now.',
      }),
    ),
  },
  closed,
);

export const ContributionPageBody = Type.Object(
  { contributions: Type.Array(Contribution), ...pageAnswer, request: Echo },
  closed,
);

/**
 * The list as a part of the operation that has its path in the document: a document has one operation for a path and a method, and the
 * parameters of both in one would say that a look-up does not need its event.
 */
export const CONTRIBUTION_LIST = {
  description:
    'The list of contributions by time, the oldest first, for a query with one of these members and without `partner_event_id`.',
  parameters: Object.entries(ListContributionsQuery.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  })),
  responses: {
    '200': { description: 'A page of the list.', content: { 'application/json': { schema: ContributionPageBody } } },
  },
};
