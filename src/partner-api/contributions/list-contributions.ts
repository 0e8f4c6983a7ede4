import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isOurId } from '../../domain/identifiers.ts';
import { contributionToWire } from '../../wire/contribution-to-wire.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { pageMembers, placeOf } from '../paging.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { readTime } from '../validation/read-time.ts';
import { CONTRIBUTION_PAGE, ContributionPageBody, ListContributionsQuery } from './contribution-list-schemas.ts';

/** A query with one of these members, and without `partner_event_id`, requests the list. */
const OF_LISTS = ['created_after', 'created_before', 'status', 'limit', 'after'];

/** The path of the look-up; the query decides between the two. */
export const LIST_CONSTRAINT = {
  name: 'contributionList',
  storage: () => {
    const handlers = new Map<unknown, unknown>();
    return {
      get: (key: unknown) => (handlers.get(key) as never) ?? null,
      set: (key: unknown, handler: unknown) => void handlers.set(key, handler),
      del: (key: unknown) => void handlers.delete(key),
      empty: () => handlers.clear(),
    };
  },
  // Without a value the routes without a constraint match; the types know only texts.
  deriveConstraint: ({ url = '' }: { url?: string | undefined }) => (asksForList(url) ? 'list' : undefined) as string,
  validate: () => {},
};

const PATH = '/v1/impact-transactions';

const isPlace = (text: string) => text === '' || isOurId('txn', text);

function asksForList(url: string): boolean {
  if (!url.startsWith(`${PATH}?`)) return false;
  const query = new URLSearchParams(url.slice(PATH.length + 1));
  return !query.has('partner_event_id') && OF_LISTS.some((name) => query.has(name));
}

/**
 * @see docs/spec/decisions.md#9-self-service-and-pages. A query without any of its members is a look-up that lacks its event.
 */
export function listContributions(app: FastifyInstance, { operations, environment }: PartnerApiOptions): void {
  app.get<{ Querystring: Static<typeof ListContributionsQuery> }>(
    PATH,
    {
      constraints: { contributionList: 'list' },
      config: { operation: 'listContributions', policy: { ...REPORT, recoverable: 'lookup' } },
      // A document has one operation for a path and a method: that of the look-up has the list as a part, CONTRIBUTION_LIST. It has the
      // verdict of the look-up, because a look-up that lacks its event by mistake may arrive here.
      schema: { hide: true, querystring: ListContributionsQuery, response: { 200: ContributionPageBody } } as object,
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { created_after, created_before, status, after, limit = CONTRIBUTION_PAGE.default } = request.query;
      const { partnerId } = callerOf(request);
      const list = { name: ['listContributions', partnerId], first: '', isPlace };
      const createdAfter = readTime('created_after', created_after);
      const createdBefore = readTime('created_before', created_before);
      const cursor = { partnerId, afterId: placeOf(list, after), createdAfter, createdBefore, status, limit: Number(limit) };
      const { records, lastId, hasMore } = await beforeDeadline(request, operations.listContributions(cursor));
      const body = {
        contributions: records.map(({ contribution }) => contributionToWire(contribution, environment)),
        ...pageMembers(list, lastId, hasMore),
        request: { correlation_id: request.context.correlationId },
      };
      return sendWritten(reply, exactJson(body));
    },
  );
}
