/** What happens by the clock: how each job stands, its runs, and the last verification. */

import { Badge, Stack } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components, operations } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { useChange } from '../../api/use-change.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { type Sorting, useSort } from '../../app/use-sort.ts';
import { formatWhole } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { CodeLabelInFull } from '../../parts/code-label.tsx';
import { WithCode } from '../../parts/codes/with-code.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { RecordPages, Records } from '../../parts/records.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, EmptyList, Loaded } from '../../parts/state.tsx';
import { Absent, Age, Foreign, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { JOB_NAME } from '../../texts/code-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { JobStateBadges } from './job-state.tsx';
import { DID, DOES, JOB } from './job-texts.ts';
import { LastVerification, readResult } from './last-verification.tsx';

type Job = components['schemas']['Job'];
type JobState = NonNullable<NonNullable<operations['listJobs']['parameters']['query']>['state']>;
type Run = components['schemas']['JobRun'];

/** While a run by hand is under way, its end is looked for as often. */
const LOOK_EVERY_MS = 2_000;

const USUALLY_EVERY_MS = 15_000;

/** How many jobs run, whatever the list is filtered by. */
function useRunningJobs(): number {
  const running = useQuery({
    queryKey: ['jobs', 'running'],
    queryFn: () => answerOf(client.GET('/operator/v1/jobs', { params: { query: { state: 'running' } } })),
    refetchInterval: ({ state }) => (state.data?.jobs.length ? LOOK_EVERY_MS : USUALLY_EVERY_MS),
  });
  return running.data?.jobs.length ?? 0;
}

export function JobPage() {
  const t = useTexts(JOB);
  const common = useTexts(COMMON);
  const queries = useQueryClient();
  const { filterNames, filters, setFilters } = useFilters(['state']);
  const { sort, sorting } = useSort(['job', 'due_at'], 'job', 'jobs');
  const wanted = present({ sort, state: filters.state as JobState | undefined });
  const running = useRunningJobs();
  const jobs = useQuery({
    queryKey: ['jobs', wanted],
    queryFn: () => answerOf(client.GET('/operator/v1/jobs', { params: { query: wanted } })),
    placeholderData: keepPreviousData,
    refetchInterval: running > 0 ? LOOK_EVERY_MS : USUALLY_EVERY_MS,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that has begun or ended is looked for in the list
  useEffect(() => void queries.invalidateQueries({ queryKey: ['job-runs'] }), [queries, running]);
  return (
    <Page title={t.title} description={t.help}>
      <Stack gap="xl">
        <Section title={t.verification}>
          <LastVerification />
        </Section>
        <Stack gap="md">
          <Filters names={filterNames}>
            <ChoiceFilter
              label={common.status}
              options={{ healthy: t.good, running: t.running, failing: t.failing, not_run: t.notRun }}
              value={filters.state}
              onChange={(state) => setFilters({ state })}
            />
          </Filters>
          <Loaded query={jobs}>{(answer) => <JobTable jobs={answer.jobs} sorting={sorting} />}</Loaded>
        </Stack>
        <Section title={t.runs}>
          <Runs />
        </Section>
      </Stack>
    </Page>
  );
}

function JobTable({ jobs, sorting }: { readonly jobs: readonly Job[]; readonly sorting: Sorting }) {
  const t = useTexts(JOB);
  const { status, actions } = useTexts(COMMON);
  const names = useTexts(JOB_NAME);
  return (
    <Records
      label={t.title}
      rows={jobs}
      sorting={sorting}
      keyOf={({ job }) => job}
      empty={<Empty title={t.noJob} icon="clock" />}
      columns={[
        { label: t.job, sort: 'job', sortKind: 'name', show: ({ job }) => <CodeLabelInFull code={job} words={names} /> },
        { label: t.does, show: (job) => <Does job={job} /> },
        { label: status, show: (job) => <JobStateBadges job={job} /> },
        { label: t.lastSuccess, show: (job) => <LastSuccess job={job} /> },
        { label: t.next, sort: 'due_at', show: ({ due_at }) => <Age at={due_at} /> },
        { label: actions, isLabelHidden: true, show: (job) => <RunNow job={job} /> },
      ]}
    />
  );
}

function LastSuccess({ job }: { readonly job: Job }) {
  const { never } = useTexts(JOB);
  return job.last_success_at === null ? never : <Age at={job.last_success_at} />;
}

function Does({ job: { job, description } }: { readonly job: Job }) {
  const does: Readonly<Record<string, string | ((figure: string) => string)>> = useTexts(DOES);
  const said = does[job] ?? description;
  if (typeof said === 'string')
    return (
      <span>
        <WithCode text={said} />
      </span>
    );
  const [figure] = /\d+/.exec(description) ?? [];
  return figure === undefined ? description : said(figure);
}

function RunNow({ job: shown }: { readonly job: Job }) {
  const { job, is_running } = shown;
  const t = useTexts(JOB);
  const names: Readonly<Record<string, string>> = useTexts(JOB_NAME);
  const name = names[job] ?? job;
  const [isOpen, setOpen] = useState(false);
  const run = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(client.POST('/operator/v1/jobs/{job}/run', { params: { path: { job }, header: { 'Idempotency-Key': key } } })),
    done: t.begun(name),
    onDone: () => setOpen(false),
  });
  if (!useMay('operator')) return null;
  return (
    <>
      <RowButton label={t.run} about={name} disabled={is_running} onClick={() => setOpen(true)} />
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${t.run}: ${name}`}
        consequence={
          <>
            <Does job={shown} /> {t.runConsequence}
          </>
        }
        label={t.run}
        change={run}
        onConfirm={() => run.mutate(undefined)}
      />
    </>
  );
}

function Runs() {
  const t = useTexts(JOB);
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['job', 'outcome', 'trigger']);
  const { succeeded, failed, stopped, abandoned } = t;
  const names = useTexts(JOB_NAME);
  const { sort, sorting } = useSort(['started_at'], '-started_at');
  const wanted = present({
    sort,
    job: filters.job,
    outcome: filters.outcome as Exclude<Run['outcome'], null> | undefined,
    trigger: filters.trigger as Run['trigger'] | undefined,
  });
  const query = usePages(['job-runs', wanted], (place) =>
    answerOf(client.GET('/operator/v1/job-runs', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Stack gap="md">
      <Filters names={filterNames}>
        <ChoiceFilter label={t.job} options={names} value={filters.job} onChange={(job) => setFilters({ job })} />
        <ChoiceFilter
          label={t.outcome}
          options={{ succeeded, failed, stopped, abandoned }}
          value={filters.outcome}
          onChange={(outcome) => setFilters({ outcome })}
        />
        <ChoiceFilter
          label={t.trigger}
          options={{ schedule: t.schedule, hand: t.hand }}
          value={filters.trigger}
          onChange={(trigger) => setFilters({ trigger })}
        />
      </Filters>
      <RecordPages
        label={t.runs}
        query={query}
        sorting={sorting}
        csv={csvAddress('job-runs', wanted)}
        rowsOf={({ runs }) => runs}
        keyOf={({ job, run_no }) => `${job} ${run_no}`}
        empty={<EmptyList isFiltered={isFiltered} texts={{ nothingYet: t.noRuns }} icon="clock" />}
        columns={[
          { label: t.job, show: ({ job }) => <CodeLabelInFull code={job} words={names} /> },
          { label: t.outcome, show: (run) => <Outcome run={run} /> },
          { label: t.trigger, show: ({ trigger }) => t[trigger] },
          { label: t.started, sort: 'started_at', show: ({ started_at }) => <Time at={started_at} style="second" /> },
          { label: t.did, show: (run) => <Did run={run} /> },
        ]}
      />
    </Stack>
  );
}

function Outcome({ run: { outcome } }: { readonly run: Run }) {
  const t = useTexts(JOB);
  const colors = { succeeded: 'forest', failed: 'red', stopped: 'yellow', abandoned: 'yellow' } as const;
  return outcome === null ? <Badge color="blue">{t.running}</Badge> : <Badge color={colors[outcome]}>{t[outcome]}</Badge>;
}

function isNamed(name: string): name is keyof typeof DID {
  return Object.hasOwn(DID, name);
}

/** What the run counted. The number of the last audit entry is left out: it is for programs. */
function Did({ run }: { readonly run: Run }) {
  const words = useTexts(DID);
  if (run.error !== null) return <Foreign text={run.error} isWhole />;
  const counts = Object.entries(readResult(run)).filter(([, value]) => /^\d+$/.test(value));
  if (counts.length === 0) return <Absent />;
  const done = counts.filter(([, value]) => value !== '0');
  if (done.length === 0) return words.nothing;
  return done.map(([name, value]) => `${isNamed(name) ? words[name] : name}: ${formatWhole(value)}`).join(' · ');
}
