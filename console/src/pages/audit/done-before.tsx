import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import { DecidedBefore } from '../../parts/dialogs/decided-before.tsx';

/** The latest entry of the audit about what was done to a record, never one that was read for an earlier view. */
export function useLastEntry(subjectId: string, action: string) {
  const { data, isFetchedAfterMount } = useQuery({
    queryKey: ['audit', 'last', subjectId, action],
    queryFn: () => readLastEntry(subjectId, action),
  });
  // A read that failed counts as fetched too.
  return {
    entry: isFetchedAfterMount ? (data ?? undefined) : undefined,
    isRead: isFetchedAfterMount && data !== undefined,
  };
}

/** @returns `null` where there is none. */
export async function readLastEntry(subjectId: string, action: string) {
  const query = { subject_id: subjectId, action, limit: 1 };
  const { entries } = await answerOf(client.GET('/operator/v1/audit', { params: { query } }));
  return entries[0] ?? null;
}

interface DoneBeforeProps {
  readonly partnerId: string;
  readonly subjectId: string;
  /** Such as `partner.suspend`. */
  readonly action: string;
  /** What was done, before the name: `Suspended by`. */
  readonly label: string;
}

/** Who did it last, and when, of a record that does not say it itself. */
export function DoneBefore({ partnerId, subjectId, action, label }: DoneBeforeProps) {
  const { entry } = useLastEntry(subjectId, action);
  if (!entry) return null;
  return (
    <Text>
      <DecidedBefore partnerId={partnerId} label={label} by={entry.operator_id} at={entry.recorded_at} />
    </Text>
  );
}
