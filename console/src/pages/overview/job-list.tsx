import type { components } from '../../api/operator-types.ts';
import { CodeLabel } from '../../parts/code-label.tsx';
import { Records } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Age } from '../../parts/values.tsx';
import { JOB_NAME } from '../../texts/code-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { JobStateBadges } from '../jobs/job-state.tsx';
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
        { label: t.state, show: (job) => <JobStateBadges job={job} /> },
        { label: t.lastSuccess, show: ({ last_success_at: at }) => (at ? <Age at={at} /> : t.never) },
        { label: t.nextRun, show: ({ due_at }) => <Age at={due_at} /> },
      ]}
    />
  );
}
