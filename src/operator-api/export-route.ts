import type { TSchema } from 'typebox';
import { csvRecord } from '../domain/settlements/statement/csv-record.ts';
import { Type } from '../partner-api/schema-type.ts';
import { attachment, exportNameOf } from './export-name.ts';
import type { OperatorCall, OperatorRoute } from './route.ts';
import { closed } from './schema-parts.ts';

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & { readonly items?: ObjectSchema }>>;
}

type Answer = Readonly<Record<string, unknown>> & { readonly next_after: string; readonly has_more: boolean };

/** The largest page: a download takes as few as it can. */
const PAGE = '200';

/** Whether a route answers with pages of records. */
export function isPaged({ answer }: OperatorRoute): boolean {
  return answer !== 'csv' && (answer as ObjectSchema).properties?.['next_after'] !== undefined;
}

/**
 * The whole list as a file, for whoever may read its pages: streamed page by page, so that a long one needs no more memory than a short one.
 * A cell that a spreadsheet would run as a formula has an apostrophe before it.
 */
export function exportOf(list: OperatorRoute): OperatorRoute {
  const { name, columns } = recordsOf(list);
  const { limit: _, after: __, ...filters } = (list.query as ObjectSchema | undefined)?.properties ?? {};
  return {
    ...list,
    operation: list.operation.replace(/^list/, 'export'),
    path: `${list.path}.csv`,
    summary: `${list.summary.replace(/^List/, 'Download')} (CSV)`,
    query: Type.Object(filters, closed),
    answer: 'csv',
    async handle(call: OperatorCall<unknown, object, unknown>) {
      const read = (after?: string): Promise<Answer> =>
        list.handle({ ...call, query: { ...call.query, limit: PAGE, ...(after !== undefined && { after }) } }) as Promise<Answer>;
      // What is wrong with the request is told before the first byte.
      const first = await read();
      const { pool } = call.tools.database;
      const file = await exportNameOf(pool, list, { ...(call.params as object), ...call.query }, new Date());
      call.reply.header('content-disposition', attachment(`${file}.csv`));
      return write(first, read, { name, columns });
    },
  };
}

interface Records {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The one member of the answer that is a list, and the members of its records. */
function recordsOf({ operation, answer }: OperatorRoute): Records {
  const lists = Object.entries((answer as ObjectSchema).properties ?? {}).filter(
    ([, { items }]) => items?.properties !== undefined,
  );
  const [found, ...others] = lists;
  if (!found || others.length > 0) throw new Error(`The answer of ${operation} is not one list.`);
  const [name, { items }] = found;
  return { name, columns: Object.keys(items?.properties ?? {}) };
}

async function* write(
  first: Answer,
  read: (after: string) => Promise<Answer>,
  { name, columns }: Records,
): AsyncGenerator<string> {
  yield csvRecord(columns);
  for (let page = first; ; page = await read(page.next_after)) {
    const records = page[name] as readonly Readonly<Record<string, unknown>>[];
    if (records.length > 0) yield records.map((record) => csvRecord(columns.map((column) => cellOf(record[column])))).join('');
    if (!page.has_more) return;
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object')
    return JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? String(member) : member));
  return guard(String(value));
}

/** A number is left as it is. */
function guard(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^-?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text;
}
