import { MantineThemeProvider, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';

/** What helps with one of them stands below it. */
const HELP_BELOW = {
  components: { InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } } },
};

/** Fields beside each other: their labels on one line and what is typed on another, whatever is said about each. */
export function FieldRow({ columns, children }: { readonly columns: number; readonly children: ReactNode }) {
  return (
    <MantineThemeProvider theme={HELP_BELOW}>
      <SimpleGrid cols={{ base: 1, sm: columns }}>{children}</SimpleGrid>
    </MantineThemeProvider>
  );
}
