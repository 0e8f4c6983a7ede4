import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';

interface SettlementPath {
  readonly partner_id: string;
  /** Not read while it is `undefined`. */
  readonly settlement_id: string | undefined;
}

/** @param isRereadLive `false` where only what never changes of a settlement is shown, such as its period. */
export function useSettlement({ partner_id, settlement_id }: SettlementPath, { isRereadLive = true } = {}) {
  const path = { partner_id, settlement_id: settlement_id ?? '' };
  return useQuery({
    queryKey: ['settlement', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/settlements/{settlement_id}', { params: { path } })),
    enabled: settlement_id !== undefined,
    ...(!isRereadLive && { staleTime: Number.POSITIVE_INFINITY, refetchInterval: false }),
  });
}
