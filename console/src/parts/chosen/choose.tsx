/** The boxes that choose a row of a list, or all of them. */
import { Box, Checkbox, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { type Chosen, useChosenRows, useIsChosen } from './chosen.ts';
import { focusChosenBar } from './chosen-bar.tsx';

export interface Selection<Row> {
  readonly chosen: Chosen<Row>;
  readonly label: string;
}

interface ChooseProps<Row> {
  readonly id: string;
  readonly row: Row;
  readonly name: string;
  readonly selection: Selection<Row>;
}

export function Choose<Row>({ id, row, name, selection: { chosen, label } }: ChooseProps<Row>) {
  const isChosen = useIsChosen(chosen, id);
  const turn = () => {
    const rows = new Map(chosen.get());
    if (!rows.delete(id)) rows.set(id, row);
    chosen.set(rows);
  };
  return (
    <WithSkip isOffered={isChosen}>
      <Checkbox aria-label={`${label}: ${name}`} checked={isChosen} onChange={turn} />
    </WithSkip>
  );
}

interface ChooseAllProps<Row> {
  readonly rows: readonly Row[];
  /** Whether the list goes on after these rows: then the box says how many it ticks. */
  readonly isMore: boolean;
  readonly keyOf: (row: Row) => string;
  readonly selection: Selection<Row>;
}

export function ChooseAll<Row>({ rows, isMore, keyOf, selection: { chosen } }: ChooseAllProps<Row>) {
  const { all, shownOf } = useTexts(COMMON);
  const before = useChosenRows(chosen);
  const isChosen = (row: Row) => before.has(keyOf(row));
  const isAll = rows.every(isChosen);
  const isAny = rows.some(isChosen);
  const turn = () => {
    const listed = new Map(rows.map((row) => [keyOf(row), row] as const));
    const others = [...before].filter(([key]) => !listed.has(key));
    chosen.set(new Map(isAll ? others : [...before, ...listed]));
  };
  return (
    <WithSkip isOffered={isAny}>
      <Checkbox
        aria-label={isMore ? `${all}: ${shownOf(rows.length)}` : all}
        label={isMore && <Text size="xs">{shownOf(rows.length)}</Text>}
        checked={isAll}
        indeterminate={!isAll && isAny}
        onChange={turn}
      />
    </WithSkip>
  );
}

interface WithSkipProps {
  readonly isOffered: boolean;
  readonly children: ReactNode;
}

/** After a ticked box that has the focus comes the way past the rows that are left, as after the beginning of a page the one past its menu. */
function WithSkip({ isOffered, children }: WithSkipProps) {
  const { skipToChosen } = useTexts(COMMON);
  return (
    <Box className="choose">
      {children}
      {isOffered && (
        <UnstyledButton className="skip-to-chosen" onClick={focusChosenBar}>
          {skipToChosen}
        </UnstyledButton>
      )}
    </Box>
  );
}
