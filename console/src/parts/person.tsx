/** Operators by their names. */
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../api/client.ts';
import { Foreign, Id } from './values.tsx';

/** Names change never, and people are added seldom. */
const KEPT_MS = 300_000;

export function Person({ id }: { readonly id: string }) {
  const operators = useQuery({
    queryKey: ['operators', 'names'],
    queryFn: () => answerOf(client.GET('/operator/v1/operators')),
    staleTime: KEPT_MS,
    refetchInterval: false,
  });
  const found = operators.data?.operators.find(({ operator_id }) => operator_id === id);
  return found ? <Foreign text={found.name} /> : <Id id={id} isShort />;
}
