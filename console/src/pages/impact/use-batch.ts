import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';

export function useBatch(batchId: string) {
  return useQuery({ queryKey: ['impact-batch', batchId], queryFn: () => readBatch(batchId) });
}

export function readBatch(batchId: string) {
  const params = { path: { impact_batch_id: batchId } };
  return answerOf(client.GET('/operator/v1/impact-batches/{impact_batch_id}', { params }));
}
