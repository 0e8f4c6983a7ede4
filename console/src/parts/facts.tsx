/** Names and values of a record, in columns: what a decision is about first and big, and the rest beneath. */
import { Divider, Group, Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

interface FactsProps {
  /** Two to four, such as the points, the status and the deadline. */
  readonly lead?: readonly Fact[];
  readonly facts: readonly Fact[];
  readonly columns?: number;
  /** How they hang together. */
  readonly help?: string;
}

export function Facts({ lead = [], facts, columns = 2, help }: FactsProps) {
  return (
    <Paper p="lg">
      {lead.length > 0 && (
        <>
          <Group component="dl" style={{ columnGap: 48, rowGap: 12 }} align="flex-start" m={0}>
            {lead.map(({ label, value }) => (
              <div key={label}>
                <Text component="dt" size="sm" c="dimmed">
                  {label}
                </Text>
                <Text component="dd" m={0} fz={22} fw={650} lh={1.4}>
                  {value}
                </Text>
              </div>
            ))}
          </Group>
          <Divider my="md" />
        </>
      )}
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
      {help && (
        <Text size="sm" c="dimmed" mt="md">
          {help}
        </Text>
      )}
    </Paper>
  );
}
