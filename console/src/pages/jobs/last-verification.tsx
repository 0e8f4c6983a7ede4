import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { formatWhole } from '../../format/points.ts';
import { Loaded } from '../../parts/state.tsx';
import { Time } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { JOB } from './job-texts.ts';

type Run = components['schemas']['JobRun'];

const VERIFY = 'verify';
const UNDER_WAY_MS = 2_000;
const LATER_MS = 15_000;
/** It runs every day, and takes its time. */
const LATE_MS = 2 * 86_400_000;

/** The runs of the daily verification of all records; `last` is the latest that succeeded, `null` while none has; `later` ended after it without success. */
export function useLastVerification() {
  const query = { job: VERIFY, limit: '20' };
  const runs = useQuery({
    queryKey: ['job-runs', query],
    queryFn: () => answerOf(client.GET('/operator/v1/job-runs', { params: { query: query as never } })),
    refetchInterval: ({ state }) => (state.data?.runs.some(({ outcome }) => outcome === null) ? UNDER_WAY_MS : LATER_MS),
  });
  const succeeded = runs.data?.runs.find(({ outcome }) => outcome === 'succeeded');
  // Of those that failed since there may be more than a page.
  const wanted = { job: VERIFY, outcome: 'succeeded', limit: '1' };
  const before = useQuery({
    queryKey: ['job-runs', wanted],
    queryFn: () => answerOf(client.GET('/operator/v1/job-runs', { params: { query: wanted as never } })),
    enabled: runs.data !== undefined && succeeded === undefined,
  });
  const latest = runs.data?.runs.find(({ outcome }) => outcome !== null);
  const last = succeeded ?? (before.data && (before.data.runs[0] ?? null));
  return { runs: runs.data && !succeeded ? before : runs, last, later: latest === succeeded ? undefined : latest };
}

/** What it found last. */
export function LastVerification() {
  const t = useTexts(JOB);
  const { runs, last, later } = useLastVerification();
  return (
    <Loaded query={runs}>
      {() => (
        <Stack gap="xs">
          {last ? <Verified run={last} /> : <Alert color="yellow">{t.notVerified}</Alert>}
          {later && (
            <Alert color="yellow">
              {t.laterFailed} <Time at={later.ended_at} />
            </Alert>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function Verified({ run }: { readonly run: Run }) {
  const t = useTexts(JOB);
  const result = readResult(run);
  const checked = formatWhole(result['checked'] ?? '0');
  const differences = result['differences'] ?? '0';
  const isGood = differences === '0';
  const isLate = run.ended_at !== null && serviceNow() - Date.parse(run.ended_at) > LATE_MS;
  return (
    <Alert color={colorOf(isGood, isLate)} role={isGood ? 'status' : 'alert'}>
      {isGood ? t.verified(checked) : t.modified(formatWhole(differences), checked)} <Time at={run.ended_at} />
      {isLate && ` ${t.late}`}
    </Alert>
  );
}

function colorOf(isGood: boolean, isLate: boolean): string {
  if (!isGood) return 'red';
  return isLate ? 'yellow' : 'forest';
}

/** Counts by name, as text. */
export function readResult({ result_json: text }: Run): Readonly<Record<string, string>> {
  const read: unknown = text === null ? {} : JSON.parse(text);
  return Object.fromEntries(Object.entries(read as object).map(([name, value]) => [name, String(value)]));
}
