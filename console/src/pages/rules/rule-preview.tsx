import { Alert, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components, operations } from '../../api/operator-types.ts';
import { chartScale, formatWhole } from '../../format/points.ts';
import { formatTimeThere, ownZone } from '../../format/time.ts';
import { usePartner } from '../../parts/partner.tsx';
import { Records } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Points, Total } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { OUTCOME, RULE } from './rule-texts.ts';

export type PreviewQuery = NonNullable<operations['previewRule']['parameters']['query']>;
export type Over = NonNullable<PreviewQuery['over']>;
type Answer = components['schemas']['RulePreview'];

interface RulePreviewProps {
  readonly query: PreviewQuery;
  readonly over: Over;
  readonly onOver: (over: Over) => void;
}

/** What a version would have done to the contributions of last month, or of the days until now. */
export function usePreview(query: PreviewQuery | undefined, over: Over) {
  return useQuery({
    queryKey: ['rule-preview', query, over],
    queryFn: () => answerOf(client.GET('/operator/v1/rule-preview', { params: { query: { ...(query as PreviewQuery), over } } })),
    enabled: query !== undefined,
    refetchInterval: false,
  });
}

export function RulePreview({ query, over, onOver }: RulePreviewProps) {
  const t = useTexts(RULE);
  const { language } = useLanguage();
  // The months of a partner are in its zone.
  const zone = usePartner(query.partner_id).data?.time_zone ?? ownZone();
  const shown = (at: string) => formatTimeThere(at, { language, zone });
  const preview = usePreview(query, over);
  return (
    <Section
      title={t.preview}
      actions={
        <SegmentedControl
          aria-label={t.over}
          data={[
            { value: 'last_month', label: t.lastMonth },
            { value: 'last_30_days', label: t.lastDays },
          ]}
          value={over}
          onChange={(chosen) => onOver(chosen as Over)}
        />
      }
    >
      <Loaded query={preview}>
        {(answer) => (
          <Stack gap="sm">
            <Text size="sm">
              {answer.contribution_count === '0'
                ? t.noneLooked
                : t.lookedAt(answer.contribution_count, answer.partner_count) +
                  t.reviewedThen(formatWhole(answer.reviewed_count))}{' '}
              <Text span size="sm" c="dimmed">
                {t.between(shown(answer.from), shown(answer.to))}
              </Text>
            </Text>
            {!answer.is_complete && <Alert color="yellow">{t.notAll}</Alert>}
            {query.kind === 'contribution_rule' ? <Bands answer={answer} /> : <Prices answer={answer} />}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function Bands({ answer: { bands, contribution_count } }: { readonly answer: Answer }) {
  const t = useTexts(RULE);
  const common = useTexts(COMMON);
  const outcomes = useTexts(OUTCOME);
  const { toHeight } = chartScale([contribution_count]);
  if (bands.length === 0) return null;
  return (
    <Records
      label={t.preview}
      rows={bands}
      keyOf={({ outcome }) => outcome}
      empty={null}
      columns={[
        { label: t.outcome, show: ({ outcome }) => outcomes[outcome] },
        { label: common.contribution, isFigure: true, show: ({ count }) => <Points value={count} /> },
        { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
        {
          label: t.share,
          isLabelHidden: true,
          show: ({ outcome, count }) => (
            <Progress
              value={(toHeight(count) * 100) / toHeight(contribution_count)}
              color={outcome === 'confirmed' ? 'forest' : outcome === 'out_of_bounds' ? 'red' : 'yellow'}
              aria-label={outcomes[outcome]}
              miw={120}
            />
          ),
        },
      ]}
    />
  );
}

function Prices({ answer: { amounts, trees } }: { readonly answer: Answer }) {
  const t = useTexts(RULE);
  const common = useTexts(COMMON);
  const rows = [
    ...(amounts.length === 0 ? [WITHOUT_AMOUNT] : amounts).map((amount) => ({ label: t.worth, ...amount })),
    { label: t.trees, ...trees, currency: undefined, minor_units: null },
  ];
  type Row = (typeof rows)[number];
  const show = (value: string | null, { currency, minor_units }: Row) =>
    currency === undefined ? <Points value={value} /> : <Total amount={value} currency={currency} minorUnits={minor_units} />;
  return (
    <Records
      label={t.preview}
      rows={rows}
      keyOf={({ label, currency }) => `${label} ${currency}`}
      empty={null}
      columns={[
        { label: common.value, isLabelHidden: true, show: ({ label }) => label },
        { label: t.asRecorded, isFigure: true, show: (row) => show(row.before, row) },
        { label: t.under, isFigure: true, show: (row) => show(row.after, row) },
      ]}
    />
  );
}

const WITHOUT_AMOUNT = { currency: null, minor_units: null, before: null, after: null };
