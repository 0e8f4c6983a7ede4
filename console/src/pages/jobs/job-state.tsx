import { Badge, Group } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { useTexts } from '../../texts/language.tsx';
import { JOB } from './job-texts.ts';

type Job = Pick<components['schemas']['Job'], 'is_running' | 'failures_in_row' | 'last_success_at'>;

/** How a job stands: one that runs again may have failed before. */
export function JobStateBadges({ job: { is_running, failures_in_row, last_success_at } }: { readonly job: Job }) {
  const t = useTexts(JOB);
  if (!is_running && failures_in_row === 0)
    return last_success_at === null ? <Badge color="gray">{t.notRun}</Badge> : <Badge color="forest">{t.good}</Badge>;
  return (
    <Group gap={4}>
      {is_running && <Badge color="blue">{t.running}</Badge>}
      {failures_in_row > 0 && <Badge color="red">{t.failures(failures_in_row)}</Badge>}
    </Group>
  );
}
