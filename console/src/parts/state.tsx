/** What a page shows while it has nothing to show: it loads, there is nothing, it failed, or the reader may not see it. */
import { Button, Center, Code, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, NoAnswerError } from '../api/api-error.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { Icon, type IconName } from './icon.tsx';
import { Refusal } from './problem.tsx';

export function Loading() {
  const { loading } = useTexts(COMMON);
  return (
    <Center mih={160} role="status" aria-label={loading}>
      <Loader size="sm" type="dots" />
    </Center>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly icon?: IconName;
}

export function Empty({ title, children, icon = 'check' }: EmptyProps) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" gap={6} maw={460}>
        <Text c="dimmed" component="div">
          <Icon name={icon} size={26} />
        </Text>
        <Text fw={600} ta="center">
          {title}
        </Text>
        {children && (
          <Text c="dimmed" size="sm" ta="center" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Center>
  );
}

interface EmptyListProps {
  /** Whether a filter is set: see `useFilters`. */
  readonly isFiltered: boolean;
  readonly texts: { readonly nothingYet: string; readonly nothingYetHelp?: string; readonly nothing?: string };
  readonly icon: IconName;
}

/** Why a list is empty: nothing fits its filters, or there is nothing yet, with what brings the first record. */
export function EmptyList({ isFiltered, texts, icon }: EmptyListProps) {
  const { nothingFits } = useTexts(COMMON);
  if (isFiltered) return <Empty title={texts.nothing ?? nothingFits} icon={icon} />;
  return (
    <Empty title={texts.nothingYet} icon={icon}>
      {texts.nothingYetHelp}
    </Empty>
  );
}

interface FailureProps {
  readonly error: Error;
  readonly onRetry?: () => void;
  /** Where there is no such record: why that may be. */
  readonly notFound?: string | undefined;
}

export function Failure({ error, onRetry, notFound }: FailureProps) {
  const t = useTexts(COMMON);
  if (error instanceof ApiError && error.status === 403)
    return <Notice icon="lock" title={t.notPermitted} text={t.notPermittedHelp} />;
  if (error instanceof ApiError && error.status === 404)
    return <Notice icon="search" title={t.notFound} text={notFound ?? t.notFoundHelp} />;
  return (
    <Notice icon="alert" title={t.failedToLoad} text={<ReadFailure error={error} />}>
      {error instanceof ApiError && error.correlationId && (
        <Text size="sm" c="dimmed">
          {t.correlationId} <Code>{error.correlationId}</Code>
        </Text>
      )}
      {onRetry && (
        <Group mt="xs">
          <Button variant="default" onClick={onRetry}>
            {t.retry}
          </Button>
        </Group>
      )}
    </Notice>
  );
}

/** Why something could not be read, in a sentence. */
export function ReadFailure({ error }: { readonly error: Error }) {
  const { noAnswer } = useTexts(COMMON);
  return error instanceof NoAnswerError ? noAnswer : <Refusal error={error} isOfReading />;
}

interface NoticeProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text: ReactNode;
  /** Where it is all that the page has. */
  readonly isWholePage?: boolean;
  readonly children?: ReactNode;
}

export function Notice({ icon, title, text, isWholePage = false, children }: NoticeProps) {
  return (
    <Paper p="xl" role="alert">
      <Stack gap={6} maw={560}>
        <Icon name={icon} size={26} />
        <Title order={isWholePage ? 1 : 2} size="h2" tabIndex={-1}>
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
        {children}
      </Stack>
    </Paper>
  );
}

interface LoadedProps<Value> {
  readonly query: UseQueryResult<Value, Error>;
  /** Why there may be no such record. */
  readonly notFound?: string | undefined;
  readonly children: (value: Value) => ReactNode;
}

/** Shows what a query brought; until then, that it loads or why it failed. What was read before stays while it is read again. */
export function Loaded<Value>({ query, notFound, children }: LoadedProps<Value>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} notFound={notFound} />;
  return <Loading />;
}
