import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';

/** Fields beside each other: their labels on one line and what is typed on another, whatever is said about each. */
export function FieldRow({ columns, children }: { readonly columns: number; readonly children: ReactNode }) {
  return <SimpleGrid cols={{ base: 1, sm: columns }}>{children}</SimpleGrid>;
}
