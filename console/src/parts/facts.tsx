/** Names and values of a record, in two columns. */
import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

export function Facts({ facts, columns = 2 }: { readonly facts: readonly Fact[]; readonly columns?: number }) {
  return (
    <Paper p="lg">
      <SimpleGrid component="dl" cols={{ base: 1, sm: columns }} spacing="md" verticalSpacing="sm" m={0}>
        {facts.map(({ label, value }) => (
          <div key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0}>
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}
