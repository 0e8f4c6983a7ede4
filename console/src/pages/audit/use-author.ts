import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';

/**
 * Who did this with a record, by its earliest entry in the audit.
 *
 * @param action Such as `impact-batch.create`.
 * @returns The id of the operator; `undefined` while it is read, and where the record began with something else.
 */
export function useAuthor(subjectId: string | undefined, action: string): string | undefined {
  const wanted = { subject_id: subjectId ?? '', sort: 'recorded_at', limit: 1 } as const;
  const first = useQuery({
    queryKey: ['audit', 'first', subjectId],
    queryFn: () => answerOf(client.GET('/operator/v1/audit', { params: { query: wanted } })),
    enabled: subjectId !== undefined,
  });
  const entry = first.data?.entries[0];
  return entry?.action === action ? entry.operator_id : undefined;
}
