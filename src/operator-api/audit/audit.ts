import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import { listAuditEntries } from '../../store/audit/audit.ts';
import { limitOf, listNamed, pageMembers, pageMembersOfQuery, pageOf, placeIn } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, integerText, nullableText, shape, text, time } from '../schema-parts.ts';

const Entry = shape('AuditEntry', {
  entry_no: integerText('Its number in the chain.'),
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

export const listAudit = operatorRoute({
  operation: 'listAuditEntries',
  method: 'GET',
  path: '/operator/v1/audit',
  tag: 'Audit',
  summary: 'List the entries of the audit, the latest first',
  description: 'It shows the chain, and does not verify it: `npx partner-impact audit verify` does.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      partner_id: id('Only those about this partner.'),
      subject_id: id('Only those about this record.'),
      since: Type.Optional(
        Type.String({ minLength: 20, maxLength: 40, description: 'Only those that were recorded at this time or later.' }),
      ),
    },
    closed,
  ),
  answer: pageOf('AuditPage', 'entries', Entry, 'The entries of the page.'),
  async handle({ tools: { database }, query }) {
    const { partner_id: partnerId, subject_id: subjectId } = query;
    const list = listNamed('listAuditEntries', [partnerId, subjectId, query.since]);
    const place = placeIn(list, query);
    const limit = limitOf(query);
    const found = await listAuditEntries(database.pool, {
      ...{ partnerId, subjectId, since: readTime('since', query.since), limit: limit + 1 },
      beforeNo: place === '' ? undefined : BigInt(place),
    });
    const page = found.slice(0, limit);
    return {
      entries: page.map((entry) => ({
        ...{ entry_no: entry.entryNo, recorded_at: entry.recordedAt, operator_id: entry.operatorId, role: entry.role },
        ...{ action: entry.action, partner_id: entry.partnerId, subject_id: entry.subjectId },
        ...{ before_json: entry.before, after_json: entry.after, correlation_id: entry.correlationId },
      })),
      ...pageMembers(list, String(page.at(-1)?.entryNo ?? place), found.length > limit),
    };
  },
});
