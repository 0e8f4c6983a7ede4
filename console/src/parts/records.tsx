/** A list of records with its heading row, its empty state and the way to more. */
import { Button, Group, Paper, Stack, Table, VisuallyHidden } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import type { Sorting } from '../app/use-sort.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { AddressLink } from './address-link.tsx';
import { Choose, ChooseAll, type Selection } from './chosen/choose.tsx';
import { Download } from './download.tsx';
import { Problem } from './problem.tsx';
import { ariaSort, type Sortable, SortChoice, SortHeading, useOrders } from './sort.tsx';
import { Empty, Failure, Loading } from './state.tsx';

export interface Column<Row> {
  readonly label: string;
  /** What stands in it needs no heading, apart from those who do not see the table. */
  readonly isLabelHidden?: boolean;
  readonly show: (row: Row) => ReactNode;
  /** Figures stand at the right of a table in both languages. */
  readonly isFigure?: boolean;
  /** Sentences have up to three lines, and on a narrow screen the whole width below their label. */
  readonly isSentences?: boolean;
  /** It names the record: what it shows is the link of the row. The `title` of a narrow screen is, where no column says so. */
  readonly isName?: boolean;
  /** Whether a record has a value in it. The column is left out while none of the list has: a column of dashes says nothing. */
  readonly isGiven?: (row: Row) => boolean;
  /** The name of the order that it stands for, where the list can be sorted by it. */
  readonly sort?: string;
  /**
   * Its place on a narrow screen, where a list with a `title` has a few lines for each record instead of one for each column: at the start
   * of the first line, at its end, or below in small without its label; without a place it is below with its label.
   */
  readonly narrow?: 'title' | 'end' | 'plain';
  /** How the choice of an order on a narrow screen says it; a figure is of a size, and anything else a time. */
  readonly sortKind?: Sortable['kind'];
}

interface RecordsProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Where a row leads, when it is clicked. */
  readonly linkOf?: (row: Row) => string;
  readonly selection?: Selection<Row>;
  /** Whether the list goes on after these rows. */
  readonly isMore?: boolean;
  /** What is chosen with a row, for those who do not see the row; without it the key. */
  readonly nameOf?: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly label: string;
  readonly empty: ReactNode;
}

export function Records<Row>({
  rows,
  columns: all,
  keyOf,
  linkOf,
  selection,
  isMore = false,
  nameOf = keyOf,
  sorting,
  label,
  empty,
}: RecordsProps<Row>) {
  const openRow = useOpenRow();
  if (rows.length === 0) return <Paper>{empty}</Paper>;
  const columns = all.filter(({ isGiven }) => isGiven === undefined || rows.some(isGiven));
  const name = columns.find(({ isName }) => isName) ?? columns.find(({ narrow }) => narrow === 'title');
  return (
    <Paper className="records-frame">
      <Table className="records" aria-label={label} data-compact={columns.some(({ narrow }) => narrow === 'title') || undefined}>
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th w={44}>
                <ChooseAll rows={rows} isMore={isMore} keyOf={keyOf} selection={selection} />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Heading key={column.label} column={column} sorting={sorting} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => {
            const key = keyOf(row);
            return (
              <Table.Tr key={key} {...(linkOf && { className: 'row-link', ...openRow(linkOf(row)) })}>
                {selection && (
                  <Table.Td data-label="">
                    <Choose id={key} row={row} name={nameOf(row)} selection={selection} />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td
                    key={column.label}
                    data-label={column.isLabelHidden ? '' : column.label}
                    data-narrow={column.narrow}
                    className={classOf(column)}
                  >
                    {column === name && linkOf ? (
                      <AddressLink to={linkOf(row)} className="record-link">
                        {column.show(row)}
                      </AddressLink>
                    ) : (
                      column.show(row)
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Heading<Row>({ column, sorting }: { readonly column: Column<Row>; readonly sorting: Sorting | undefined }) {
  const { label, sort, isLabelHidden } = column;
  const className = classOf(column);
  if (!sorting || sort === undefined)
    return <Table.Th className={className}>{isLabelHidden ? <VisuallyHidden>{label}</VisuallyHidden> : label}</Table.Th>;
  return (
    <Table.Th className={className} aria-sort={ariaSort(sorting, sort)}>
      <SortHeading column={toSortable({ ...column, sort })} sorting={sorting} />
    </Table.Th>
  );
}

function classOf<Row>({ isFigure, isSentences }: Column<Row>): 'figures' | 'sentences' | undefined {
  if (isFigure) return 'figures';
  return isSentences ? 'sentences' : undefined;
}

function toSortable<Row>({ label, sort, isFigure, sortKind }: Column<Row> & { readonly sort: string }): Sortable {
  return { label, sort, kind: sortKind ?? (isFigure ? 'size' : 'time') };
}

function sortableOf<Row>(columns: readonly Column<Row>[]): Sortable[] {
  return columns.flatMap((column) => (column.sort === undefined ? [] : [toSortable({ ...column, sort: column.sort })]));
}

/** What a click on a row does: as on its link, another tab is opened where it is asked for. The end of a selection of text opens nothing. */
function useOpenRow() {
  const navigate = useNavigate();
  return (href: string) => {
    const open = (event: MouseEvent<HTMLElement>) => {
      const selection = getSelection();
      const isSelected = selection?.isCollapsed === false && selection.containsNode(event.currentTarget, true);
      if (isControl(event.target) || isSelected) return;
      if (event.button === MIDDLE || event.ctrlKey || event.metaKey) window.open(href, '_blank', 'noopener');
      else void navigate({ href });
    };
    return { onClick: open, onAuxClick: (event: MouseEvent<HTMLElement>) => event.button === MIDDLE && open(event) };
  };
}
const MIDDLE = 1;

/** What has an action of its own inside a row keeps it. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label, [role=menuitem]') !== null;
}

interface PagesProps<Row, PageOfRows> extends Omit<RecordsProps<Row>, 'rows' | 'isMore'> {
  readonly query: UseInfiniteQueryResult<{ readonly pages: readonly PageOfRows[] }, Error>;
  readonly rowsOf: (page: PageOfRows) => readonly Row[];
  /** Where the whole list comes from as a file, with the same filters. */
  readonly csv?: string;
  readonly csvLabel?: string;
}

/** A list of records that is read page by page. What a filter, an order or more of it led to is announced to screen readers. */
export function RecordPages<Row, PageOfRows>({ query, rowsOf, csv, csvLabel, empty, ...records }: PagesProps<Row, PageOfRows>) {
  const { more, exportCsv, noneSoFar, noneSoFarHelp, lookFurther, listed } = useTexts(COMMON);
  const { sorting, columns, label } = records;
  const { order } = useOrders(sortableOf(columns), sorting);
  const rows = query.data?.pages.flatMap(rowsOf) ?? [];
  const isUnfinished = rows.length === 0 && query.hasNextPage;
  const none = isUnfinished ? (
    <Empty title={noneSoFar} icon="search">
      {noneSoFarHelp}
    </Empty>
  ) : (
    empty
  );
  const count = [listed(label, rows.length, query.hasNextPage), order?.label].filter(Boolean).join('. ');
  return (
    <Stack gap="sm" aria-busy={query.isPlaceholderData}>
      <div role="status" className="records-status">
        {query.data && (rows.length === 0 ? <Paper>{none}</Paper> : count)}
      </div>
      {!query.data && (query.error ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : <Loading />)}
      {sorting && rows.length > 0 && <SortChoice columns={sortableOf(columns)} sorting={sorting} />}
      {rows.length > 0 && <Records rows={rows} isMore={query.hasNextPage} {...records} empty={null} />}
      <Group justify="space-between" className="records-end">
        {csv && rows.length > 0 ? <Download href={csv}>{csvLabel ?? exportCsv}</Download> : null}
        {query.hasNextPage && (
          <Button variant="default" ms="auto" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
            {isUnfinished ? lookFurther : more}
          </Button>
        )}
      </Group>
      {query.isFetchNextPageError && !query.isFetchingNextPage && <Problem error={query.error} isOfReading />}
    </Stack>
  );
}
