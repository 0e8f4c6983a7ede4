import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface FiguresProps {
  readonly title: string;
  /** A table of the same title. */
  readonly children: ReactNode;
}

/** The figures of a chart, for whoever cannot point at its parts. The table is made when it is opened. */
export function Figures({ title, children }: FiguresProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Text component="details" size="sm" mt="xs" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </Text>
  );
}
