import { csvRecord } from '../domain/settlements/statement/csv-record.ts';
import { guardWords } from '../domain/settlements/statement/spreadsheet-guard.ts';
import { readNamesOfPartners } from '../operations/access/read-names-of-partners.ts';
import { Type } from '../partner-api/schema-type.ts';
import type { Queryable } from '../store/database.ts';
import { type ExportColumn, type ExportedRecord, exportColumnsOf, type ObjectSchema } from './export-columns.ts';
import { attachment, exportNameOf } from './export-name.ts';
import type { OperatorCall, OperatorRoute } from './route.ts';
import { closed } from './schema-parts.ts';

type Answer = ExportedRecord & { readonly next_after: string; readonly has_more: boolean };

/** Making a list whole takes longer than a page. */
const WHOLE_DEADLINE_MS = 30_000;

/** The largest page: a download takes as few as it can. */
const PAGE = '200';

/** Whether a route answers with pages of records. */
export function isPaged({ answer }: OperatorRoute): boolean {
  return answer !== 'csv' && (answer as ObjectSchema).properties?.['next_after'] !== undefined;
}

/**
 * The whole list as a file, for whoever may read its pages: streamed page by page, so that a long one needs no more memory than a short one.
 * Beside the id of a partner stands its name. A cell that a spreadsheet would run as a formula has an apostrophe before it.
 */
export function exportOf(list: OperatorRoute): OperatorRoute {
  const { name, columns, lacksName } = recordsOf(list);
  const { limit: _, after: __, ...filters } = (list.query as ObjectSchema | undefined)?.properties ?? {};
  return {
    ...list,
    operation: list.operation.replace(/^list/, 'export'),
    path: `${list.path}.csv`,
    summary: `${list.summary.replace(/^List/, 'Download')} (CSV)`,
    query: Type.Object(filters, closed),
    answer: 'csv',
    ...(list.beforeFile && { deadlineMs: WHOLE_DEADLINE_MS }),
    async handle(call: OperatorCall<Readonly<Record<string, string>>, object, unknown>) {
      const { reply, actor } = call;
      const { pool } = call.tools.database;
      const inTurn = <Read>(read: () => Promise<Read>): Promise<Read> =>
        call.tools.shared.exportInTurn({ asker: actor.operatorId, isWanted: () => !reply.raw.destroyed, work: read });
      const readRows = (after?: string): Promise<Rows> =>
        inTurn(async () => {
          const query = { ...call.query, limit: PAGE, ...(after !== undefined && { after }) };
          const { [name]: found, next_after, has_more } = (await list.handle({ ...call, query })) as Answer;
          const rows = found as readonly ExportedRecord[];
          return { rows: lacksName ? await withNames(pool, rows) : rows, next: has_more ? next_after : undefined };
        });
      // What is wrong with the request, or lacks in the list, is told before the first byte.
      await list.beforeFile?.(call);
      const first = await readRows();
      const file = await inTurn(() => exportNameOf(pool, list, { ...call.params, ...call.query }, new Date()));
      reply.header('content-disposition', attachment(`${file}.csv`));
      return write(columns, first, readRows);
    },
  };
}

interface Records {
  readonly name: string;
  readonly columns: readonly ExportColumn[];
  /** Whether the records have the id of a partner, but not its name. */
  readonly lacksName: boolean;
}

/** The one member of the answer that is a list, and the columns of its records. */
function recordsOf({ operation, answer }: OperatorRoute): Records {
  const lists = Object.entries((answer as ObjectSchema).properties ?? {}).filter(
    ([, { items }]) => items?.properties !== undefined,
  );
  const [found, ...others] = lists;
  if (!found || others.length > 0) throw new Error(`The answer of ${operation} is not one list.`);
  const [name, { items = {} }] = found;
  const columns = exportColumnsOf(items);
  const names = columns.map((column) => column.name);
  const id = names.indexOf('partner_id');
  const lacksName = id >= 0 && !names.includes('name') && !names.includes(PARTNER_NAME.name);
  return { name, lacksName, columns: lacksName ? columns.toSpliced(id + 1, 0, PARTNER_NAME) : columns };
}

const PARTNER_NAME: ExportColumn = { name: 'partner_name', textOf: (record) => guardWords(String(record['partner_name'] ?? '')) };

/** Tells a spreadsheet that the file is UTF-8, so that it shows Arabic names correctly. */
const BYTE_ORDER_MARK = '\uFEFF';

/** What a page adds to the file. */
interface Rows {
  readonly rows: readonly ExportedRecord[];
  /** Where the next page begins; `undefined` for the last page. */
  readonly next: string | undefined;
}

async function* write(
  columns: readonly ExportColumn[],
  first: Rows,
  readRows: (after: string) => Promise<Rows>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${BYTE_ORDER_MARK}${csvRecord(columns.map(({ name }) => name))}`);
  for (let page = first; ; ) {
    const lines = page.rows.map((row) => csvRecord(columns.map(({ textOf }) => textOf(row))));
    if (lines.length > 0) yield Buffer.from(lines.join(''));
    if (page.next === undefined) return;
    page = await readRows(page.next);
  }
}

async function withNames(db: Queryable, records: readonly ExportedRecord[]): Promise<readonly ExportedRecord[]> {
  const idOf = ({ partner_id: id }: ExportedRecord) => (typeof id === 'string' ? id : '');
  const names = await readNamesOfPartners(db, records.map(idOf).filter(Boolean));
  return records.map((record) => ({ ...record, partner_name: names.get(idOf(record)) }));
}
