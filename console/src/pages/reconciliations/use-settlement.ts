import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { Reconciliation } from './verdicts.ts';

export function useSettlement({ partner_id, settlement_id }: Pick<Reconciliation, 'partner_id' | 'settlement_id'>) {
  const path = { partner_id, settlement_id };
  return useQuery({
    queryKey: ['settlement', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/settlements/{settlement_id}', { params: { path } })),
  });
}
