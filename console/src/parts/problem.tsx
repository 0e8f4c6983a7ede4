/** Why a change was refused: beside the form that asked for it. */
import { Alert, Code, Text } from '@mantine/core';
import { ApiError, NoAnswerError, StepUpCancelled } from '../api/api-error.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { Icon } from './icon.tsx';

export function Problem({ error }: { readonly error: Error | null }) {
  const t = useTexts(COMMON);
  if (!error || error instanceof StepUpCancelled) return null;
  const others = error instanceof ApiError ? error.problems.filter(({ message }) => message !== error.message) : [];
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert">
      <Text size="sm" className="foreign">
        {error instanceof NoAnswerError ? t.noAnswerToChange : error.message}
      </Text>
      {others.map(({ field, message }) => (
        <Text size="sm" key={field + message} className="foreign">
          <Code>{field}</Code> {message}
        </Text>
      ))}
      {error instanceof ApiError && error.correlationId && error.status >= 500 && (
        <Text size="xs" mt={4}>
          {t.correlationId} <Code>{error.correlationId}</Code>
        </Text>
      )}
    </Alert>
  );
}

/** What the service says of one field of a form. */
export function problemOf(error: Error | null, field: string): string | undefined {
  return error instanceof ApiError ? error.problems.find((problem) => problem.field === field)?.message : undefined;
}
