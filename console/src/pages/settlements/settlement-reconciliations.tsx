import { answerOf, client } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { Section } from '../../parts/section.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ReconciliationRecords } from '../reconciliations/reconciliation-records.tsx';
import { StartReconciliation } from '../reconciliations/start-reconciliation.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

interface OfSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
}

function useReconciliationsOf({ partnerId, settlementId }: OfSettlement) {
  const wanted = { partner_id: partnerId, settlement_id: settlementId };
  return usePages(['reconciliations-of', wanted], (place) =>
    answerOf(client.GET('/operator/v1/reconciliations', { params: { query: { ...wanted, ...place } } })),
  );
}

/** Those that ended with a result, the latest first; `undefined` until they are read. */
export function useDoneReconciliations(of: OfSettlement) {
  const query = useReconciliationsOf(of);
  const lists = query.data?.pages.flatMap((page) => page.reconciliations).filter(({ status }) => status === 'done');
  return { query, lists };
}

export function SettlementReconciliations({ partnerId, settlementId }: OfSettlement) {
  const t = useTexts(SETTLEMENT);
  const query = useReconciliationsOf({ partnerId, settlementId });
  return (
    <Section
      id="reconciliations"
      title={t.reconciliations}
      actions={<StartReconciliation partnerId={partnerId} settlementId={settlementId} />}
    >
      <ReconciliationRecords query={query} isOfOne />
    </Section>
  );
}
