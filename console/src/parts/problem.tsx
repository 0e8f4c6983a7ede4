/** Why a change was refused: beside the form that asked for it. */
import { Alert, Code, Text } from '@mantine/core';
import { ApiError, NoAnswerError, StepUpCancelled } from '../api/api-error.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { FourEyes, isFourEyes } from './four-eyes.tsx';
import { Icon } from './icon.tsx';

interface ProblemProps {
  readonly error: Error | null;
  /** The fields that show their own problem, so that it is not shown twice. */
  readonly fields?: readonly string[];
}

export function Problem({ error, fields = [] }: ProblemProps) {
  const t = useTexts(COMMON);
  if (!error || error instanceof StepUpCancelled) return null;
  const problems = error instanceof ApiError ? error.problems : [];
  if (isFourEyes(problems))
    return (
      <Alert color="red" icon={<Icon name="alert" />} role="alert">
        <FourEyes problems={problems} />
      </Alert>
    );
  const others = problems.filter(({ field, message }) => !fields.includes(field) && message !== error.message);
  const isBesideFields = problems.some(({ field }) => fields.includes(field));
  if (isBesideFields && others.length === 0) return null;
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert">
      {!isBesideFields && (
        <Text size="sm" className="foreign">
          {error instanceof NoAnswerError ? t.noAnswerToChange : error.message}
        </Text>
      )}
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
