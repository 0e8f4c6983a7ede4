import { Checkbox, Stack } from '@mantine/core';
import { CodeLabelInFull } from '../../../parts/code-label.tsx';
import { EVENT_TYPE } from '../../../texts/code-texts.ts';
import { useTexts } from '../../../texts/language.tsx';
import { SET_UP } from './set-up-texts.ts';

/** The challenge and a test go to every endpoint. */
const isOffered = (type: string) => !type.startsWith('webhook.');

interface EventTypesFieldProps {
  readonly isLocked: boolean;
  /** Empty for all. */
  readonly value: readonly string[];
  readonly onChange: (types: readonly string[]) => void;
}

/** Which types of events an endpoint gets. */
export function EventTypesField({ isLocked, value, onChange }: EventTypesFieldProps) {
  const t = useTexts(SET_UP);
  const words = useTexts(EVENT_TYPE);
  return (
    <Checkbox.Group label={t.eventTypes} description={t.eventTypesHelp} labelElement="div" value={[...value]} onChange={onChange}>
      <Stack gap="xs" my="xs">
        {Object.keys(words)
          .filter(isOffered)
          .map((type) => (
            <Checkbox key={type} value={type} disabled={isLocked} label={<CodeLabelInFull code={type} words={words} />} />
          ))}
      </Stack>
    </Checkbox.Group>
  );
}
