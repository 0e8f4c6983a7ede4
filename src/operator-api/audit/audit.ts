import { listEntries } from '../../operations/audit/list-entries.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, integerText, nullableText, shape, text, time } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';

const Entry = shape('AuditEntry', {
  entry_no: integerText('The number of the entry in the chain.'),
  recorded_at: time('When it was recorded.'),
  operator_id: text('Who did it: an operator, `owner`, `schedule`, or the API key of a partner.'),
  role: text('In which role.'),
  action: text('What was done.'),
  partner_id: nullableText('The partner that it is about; `null` without one.'),
  subject_id: text('The record that it is about.'),
  before_json: nullableText('The record before, as JSON text without secrets; `null` where there was none.'),
  after_json: nullableText('The record after, as JSON text without secrets; `null` where there is none.'),
  correlation_id: text('What ties together all that one request or command changed.'),
});

const id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 128, description }));

const order = sorting(['recorded_at'], '-recorded_at');
const moment = (description: string) => Type.Optional(Type.String({ minLength: 20, maxLength: 40, description }));

export const listAuditEntries = operatorRoute({
  operation: 'listAuditEntries',
  method: 'GET',
  path: '/operator/v1/audit',
  tag: 'Audit',
  summary: 'List the entries of the audit',
  description: `It shows the chain, and does not verify it: \`npx partner-impact audit verify\` does. With two filters or more: ${LOOKS_AT}`,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      partner_id: id('Only those about this partner.'),
      subject_id: id('Only those about this record.'),
      operator_id: id('Only those of this operator.'),
      action: id('Only this, such as `partner.create`.'),
      until: moment('Only those that were recorded before this time.'),
      since: moment('Only those that were recorded at this time or later.'),
    },
    closed,
  ),
  answer: pageOf('AuditPage', 'entries', Entry, 'The entries of the page.'),
  async handle({ tools: { database }, query }) {
    const { partner_id: partnerId, subject_id: subjectId } = query;
    const { operator_id: operatorId, action, since, until } = query;
    const { page, end } = sortedPage('listAuditEntries', order, query, [partnerId, subjectId, operatorId, action, since, until]);
    const between = { since: readTime('since', since), until: readTime('until', until) };
    const found = await listEntries(database.pool, { partnerId, subjectId, operatorId, action, ...between }, page);
    return {
      entries: found.page.map((entry) => ({
        entry_no: entry.entryNo,
        recorded_at: entry.recordedAt,
        operator_id: entry.operatorId,
        role: entry.role,
        action: entry.action,
        partner_id: entry.partnerId,
        subject_id: entry.subjectId,
        before_json: entry.before,
        after_json: entry.after,
        correlation_id: entry.correlationId,
      })),
      ...end(found.last, found.hasMore),
    };
  },
});
