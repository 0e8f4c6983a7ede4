import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { Problem } from '../../parts/problem.tsx';
import { Loading } from '../../parts/state.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { BeforeAfter } from './before-after.tsx';

interface DraftPreviewProps {
  readonly contribution: { readonly partner_id: string; readonly transaction_id: string };
  readonly reason: components['schemas']['Adjustment']['reason_code'];
  readonly field: 'points_delta' | 'amount_delta';
  readonly delta: string;
}

/** Of a number that is not typed to its end the service would only say that it is none. */
const WHOLE = /^-?\d{1,19}$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Points and money before and after, as the service reckons them, for the contribution and for the settlement. */
export function DraftPreview({ contribution, reason, field, delta }: DraftPreviewProps) {
  const t = useTexts(ADJUSTMENT);
  const isTyped = (field === 'points_delta' ? WHOLE : DECIMAL).test(delta);
  const preview = useQuery({
    queryKey: ['adjustment-preview', contribution.transaction_id, reason, field, delta],
    queryFn: () =>
      answerOf(
        client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}/adjustment-preview', {
          params: { path: contribution, query: { reason_code: reason, [field]: delta } },
        }),
      ),
    enabled: isTyped,
    refetchInterval: false,
  });
  if (!isTyped) return null;
  if (preview.error) return <Problem error={preview.error} />;
  if (!preview.data) return <Loading />;
  const { effect, currency, problems, settlement } = preview.data;
  if (problems.length > 0)
    return (
      <Alert color="yellow" title={t.problems}>
        {problems.map(({ field: name, message }) => (
          <Text size="sm" key={name + message}>
            {message}
          </Text>
        ))}
      </Alert>
    );
  return (
    <Stack gap="xs">
      {effect && (
        <BeforeAfter
          rows={[
            { label: t.settledPoints, before: effect.settled_points_before, after: effect.settled_points_after },
            { label: t.settledAmount, before: effect.settled_amount_before, after: effect.settled_amount_after, currency },
            ...(settlement?.before && settlement.after
              ? [
                  {
                    ...{ label: `${t.payablePoints} · ${settlement.period_label}` },
                    ...{ before: settlement.before.payable_points, after: settlement.after.payable_points },
                  },
                  {
                    ...{ label: `${t.payableAmount} · ${settlement.period_label}`, currency },
                    ...{ before: settlement.before.payable_amount, after: settlement.after.payable_amount },
                  },
                ]
              : []),
          ]}
        />
      )}
      {effect && effect.settled_amount_before === null && (
        <Text size="sm">
          {t.changeAmount}: {t.noPrice}
        </Text>
      )}
    </Stack>
  );
}
