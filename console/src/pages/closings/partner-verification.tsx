import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { useChange } from '../../api/use-change.ts';
import { formatWhole } from '../../format/points.ts';
import { Problem } from '../../parts/problem.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Time } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { LastVerification, useLastVerification } from '../jobs/last-verification.tsx';
import { CheckMark } from './check-mark.tsx';
import { CLOSING } from './closing-texts.ts';

type Verification = components['schemas']['Verification'];

const RUNNING_MS = 1_000;
const LATER_MS = 15_000;
const DAY_MS = 86_400_000;

export function usePartnerVerification(partnerId: string) {
  const path = { partner_id: partnerId };
  return useQuery({
    queryKey: ['verification', partnerId],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/verification', { params: { path } })),
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? RUNNING_MS : LATER_MS),
  });
}

/** It found nothing modified, within the last day. */
export function isVerified(verification: Verification): boolean {
  return verification.status === 'done' && verification.problem_count === 0 && !isOutdated(verification);
}

function isOutdated({ ended_at }: Verification): boolean {
  return ended_at !== null && serviceNow() - Date.parse(ended_at) > DAY_MS;
}

/** Whether the records of a partner are as the service sealed them. Whoever looks may ask. */
export function PartnerVerification({ partnerId }: { readonly partnerId: string }) {
  const t = useTexts(CLOSING);
  const path = { partner_id: partnerId };
  const verification = usePartnerVerification(partnerId);
  const begin = useChange({
    send: () => answerOf(client.POST('/operator/v1/partners/{partner_id}/verification', { params: { path } })),
    done: t.started,
  });
  const { data } = verification;
  const daily = useLastVerification();
  const isModified = (data?.problem_count ?? 0) > 0;
  return (
    <Group gap={10} wrap="nowrap" align="flex-start">
      <CheckMark isGood={data !== undefined && isVerified(data)} isWrong={isModified} />
      <Stack gap={6} style={{ flex: 1, minWidth: 0 }}>
        <Group justify="space-between" gap="xs" align="flex-start">
          <Text>{t.verification}</Text>
          <RowButton
            label={t.verify}
            onClick={() => begin.mutate(undefined)}
            loading={begin.isPending || data?.status === 'running'}
          />
        </Group>
        <Text size="sm" c="dimmed">
          {t.verificationHelp}
        </Text>
        {data && <State verification={data} isNever={daily.last === null} />}
        {(daily.last ?? daily.later) && (
          <>
            <Text size="sm" c="dimmed">
              {t.daily}
            </Text>
            <LastVerification />
          </>
        )}
        <Problem error={begin.error ?? verification.error} isOfReading={begin.error === null} />
      </Stack>
    </Group>
  );
}

interface StateProps {
  readonly verification: Verification;
  /** The daily verification has not ended once either. */
  readonly isNever: boolean;
}

function State({ verification, isNever }: StateProps) {
  const t = useTexts(CLOSING);
  const { status, settlements, lines, problem_count, problems, ended_at } = verification;
  if (status === 'none') return <Text size="sm">{isNever ? t.neverVerified : t.notVerified}</Text>;
  if (status === 'failed') return <Text size="sm">{t.notFinished}</Text>;
  const isRunning = status === 'running';
  if (isRunning || problem_count === 0)
    return (
      <Text size="sm">
        <span role="status">
          {isRunning ? (
            t.verifying
          ) : (
            <>
              {t.unmodified(String(settlements), String(lines))} <Time at={ended_at} style="second" />{' '}
              {isOutdated(verification) && t.outdated}
            </>
          )}
        </span>{' '}
        {isRunning && lines > 0 && t.soFar(formatWhole(String(lines)))}
      </Text>
    );
  return (
    <Alert color="red" role="alert" title={t.modified(String(problem_count))}>
      {problems.slice(0, 20).map(({ settlement_id, line_no, message }) => (
        <Text size="sm" key={`${settlement_id} ${line_no} ${message}`} className="foreign" lang="en" dir="ltr">
          {message}
        </Text>
      ))}
    </Alert>
  );
}
