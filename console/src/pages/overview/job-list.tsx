import { Badge } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { CodeLabel } from '../../parts/code-label.tsx';
import { Records } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Age } from '../../parts/values.tsx';
import { JOB_NAME } from '../../texts/code-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { JOB } from '../jobs/job-texts.ts';
import { OVERVIEW } from './overview-texts.ts';

type Job = components['schemas']['JobState'];

export function JobList({ jobs }: { readonly jobs: readonly Job[] }) {
  const t = useTexts(OVERVIEW);
  const names = useTexts(JOB_NAME);
  return (
    <Records
      label={t.jobs}
      rows={jobs}
      keyOf={({ job }) => job}
      empty={<Empty title={t.noJob} icon="clock" />}
      columns={[
        { label: t.job, show: ({ job }) => <CodeLabel code={job} words={names} /> },
        { label: t.state, show: (job) => <JobBadge {...job} /> },
        { label: t.lastSuccess, show: ({ last_success_at: at }) => (at ? <Age at={at} /> : t.never) },
        { label: t.nextRun, show: ({ due_at }) => <Age at={due_at} /> },
      ]}
    />
  );
}

function JobBadge({ is_running, failures_in_row }: Job) {
  const t = useTexts(OVERVIEW);
  const { failures } = useTexts(JOB);
  if (failures_in_row > 0) return <Badge color="red">{failures(failures_in_row)}</Badge>;
  return <Badge color={is_running ? 'blue' : 'forest'}>{is_running ? t.running : t.good}</Badge>;
}
