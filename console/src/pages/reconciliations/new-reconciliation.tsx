import { Group, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useFilters } from '../../app/use-filters.ts';
import { isolate } from '../../format/isolate.ts';
import { formatDays } from '../../format/time.ts';
import { Page } from '../../layout/page.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { Notice } from '../../parts/state.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { FileForm } from './file-form.tsx';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { SendList } from './send-list.tsx';

export function NewReconciliation() {
  const t = useTexts(RECONCILIATION);
  const common = useTexts(COMMON);
  const { filters, setFilters } = useFilters(['partner', 'settlement']);
  const { partner, settlement } = filters;
  const mayReconcile = useMay('operator');
  return (
    <Page title={t.start} description={t.startHelp}>
      {mayReconcile ? (
        <Stack gap="lg">
          <Group gap="sm" align="flex-end">
            <PartnerFilter value={partner} onChange={(id) => setFilters({ partner: id, settlement: undefined })} isRequired />
            <SettlementChoice
              key={partner}
              partnerId={partner}
              value={settlement}
              onChange={(id) => setFilters({ settlement: id })}
            />
          </Group>
          <SendList partnerId={partner} settlementId={settlement} />
          <FileForm />
        </Stack>
      ) : (
        <Notice icon="lock" title={common.notPermitted} text={common.notPermittedHelp} />
      )}
    </Page>
  );
}

type Settlement = components['schemas']['Settlement'];

interface SettlementChoiceProps {
  readonly partnerId: string | undefined;
  readonly value: string | undefined;
  readonly onChange: (settlementId: string) => void;
}

/** The closed settlements of a partner, the latest first. */
function SettlementChoice({ partnerId, value, onChange }: SettlementChoiceProps) {
  const t = useTexts(RECONCILIATION);
  const { failedToLoad } = useTexts(COMMON);
  const { language } = useLanguage();
  const settlements = useQuery({
    queryKey: ['settlements-to-reconcile', partnerId],
    queryFn: () =>
      answerOf(
        client.GET('/operator/v1/partners/{partner_id}/settlements', {
          params: { path: { partner_id: partnerId ?? '' }, query: { status: 'closed', limit: 200 } },
        }),
      ),
    enabled: partnerId !== undefined,
  });
  const nameOf = ({ period_label, period_start, period_end, period_timezone: zone }: Settlement) =>
    `${isolate(period_label)} (${formatDays(period_start, period_end, { language, zone })})`;
  const closed = settlements.data?.settlements;
  return (
    <Select
      label={t.settlement}
      placeholder={t.chooseSettlement}
      allowDeselect={false}
      disabled={partnerId === undefined}
      data={(closed ?? []).map((each) => ({ value: each.settlement_id, label: nameOf(each) }))}
      value={value ?? null}
      onChange={(chosen) => {
        if (chosen !== null) onChange(chosen);
      }}
      error={(settlements.error && !closed && failedToLoad) || (closed?.length === 0 && t.noSettlement)}
      w={{ base: '100%', sm: 300 }}
    />
  );
}
