import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Two values that belong together, in one cell of a list. */
export function TwoLines({ first, second }: { readonly first: ReactNode; readonly second: ReactNode }) {
  return (
    <div className="two-lines">
      {first}
      <Text size="xs" c="dimmed" component="div">
        {second}
      </Text>
    </div>
  );
}
