import { Alert, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { useFilters } from '../../app/use-filters.ts';
import { formatWhole } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, usePartner } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { quartersOf, ToldProgress } from '../../parts/progress/told-progress.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Id, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSettlement } from '../settlements/use-settlement.ts';
import { ReconciliationLines } from './reconciliation-lines.tsx';
import { ReconciliationBadge, SettlementLink } from './reconciliation-records.tsx';
import { FAILED_FOR, RECONCILIATION } from './reconciliation-texts.ts';
import { StartReconciliation } from './start-reconciliation.tsx';
import { TotalPoints } from './total-points.tsx';
import { VerdictCards } from './verdict-cards.tsx';
import { isUnderWay, type Reconciliation, VERDICTS, type Verdict } from './verdicts.ts';

const UNDER_WAY_MS = 1_000;
const LATER_MS = 60_000;

export function ReconciliationPage() {
  const t = useTexts(RECONCILIATION);
  const { partnerId = '', reconciliationId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, reconciliation_id: reconciliationId };
  const reconciliation = useQuery({
    queryKey: ['reconciliation', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/reconciliations/{reconciliation_id}', { params: { path } })),
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? UNDER_WAY_MS : LATER_MS),
  });
  return (
    <Page
      title={t.detail}
      id={reconciliationId}
      description={<Id id={reconciliationId} />}
      actions={<StartReconciliation partnerId={partnerId} settlementId={reconciliation.data?.settlement_id} />}
    >
      <Loaded query={reconciliation}>
        {(record) => (
          <Stack gap="xl">
            <Followed record={record} />
            {record.problem !== null && (
              <Alert color="red" title={t.problem}>
                <WhyFailed problem={record.problem} />
              </Alert>
            )}
            <ReconciliationFacts record={record} />
            {record.status === 'done' && <Result record={record} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** The sentence of the service in the language of the screen, and one of a later release as it is. */
function WhyFailed({ problem }: { readonly problem: string }) {
  const sentences: Readonly<Record<string, string>> = useTexts(FAILED_FOR);
  if (Object.hasOwn(sentences, problem)) return sentences[problem];
  return (
    <bdi lang="en" dir="ltr" className="foreign">
      {problem}
    </bdi>
  );
}

/** How far the comparison has come, and its end where the page was open before. */
function Followed({ record }: { readonly record: Reconciliation }) {
  const [isFollowed] = useState(isUnderWay(record));
  return isFollowed && <UnderWay record={record} />;
}

function UnderWay({ record }: { readonly record: Reconciliation }) {
  const t = useTexts(RECONCILIATION);
  const settlement = useSettlement(record);
  const all = settlement.data?.statement?.line_count;
  const done = record.compared_settlement_lines;
  const text =
    record.status === 'receiving' || all === undefined
      ? `${t.lines}: ${formatWhole(record.listed_lines)}`
      : t.progress(formatWhole(String(done)), formatWhole(String(all)));
  // Why it failed is told by an alert.
  const end = (record.status === 'done' && t.received) || '';
  return (
    <>
      {isUnderWay(record) && (
        <Paper p="lg">
          <Stack gap="xs">
            <Progress value={all ? Math.floor((done / all) * 100) : 0} animated aria-label={text} />
            <Text size="sm">{text}</Text>
            {record.status === 'comparing' && (
              <Text size="sm" c="dimmed">
                {t.waits}
              </Text>
            )}
          </Stack>
        </Paper>
      )}
      <ToldProgress
        text={isUnderWay(record) ? text : end}
        step={`${record.status} ${all === undefined ? '' : quartersOf(done, all)}`}
      />
    </>
  );
}

function ReconciliationFacts({ record }: { readonly record: Reconciliation }) {
  const t = useTexts(RECONCILIATION);
  const common = useTexts(COMMON);
  const zone = usePartner(record.partner_id).data?.time_zone;
  const sender = record.uploaded_by === null ? t.thePartner : <Person id={record.uploaded_by} />;
  return (
    <Facts
      columns={3}
      facts={[
        { label: common.status, value: <ReconciliationBadge record={record} /> },
        { label: common.partner, value: <PartnerLink id={record.partner_id} /> },
        { label: t.settlement, value: <SettlementLink record={record} /> },
        { label: t.sender, value: sender },
        { label: t.list, value: record.is_statement ? t.statement : t.ownList },
        { label: t.lines, value: <LinesOfFile record={record} /> },
        { label: t.began, value: <Time at={record.created_at} zone={zone} style="second" /> },
        { label: t.ended, value: <Time at={record.ended_at} zone={zone} style="second" /> },
      ]}
    />
  );
}

/** The numbers of lines below count the heading row of a CSV file, which is no line of the list. */
function LinesOfFile({ record: { listed_lines, format } }: { readonly record: Reconciliation }) {
  const t = useTexts(RECONCILIATION);
  return (
    <>
      <Points value={listed_lines} /> {format === 'csv' && t.noHeading}
    </>
  );
}

/** The verdicts as groups, and the lines of the chosen one: the first that needs a hand. */
function Result({ record }: { readonly record: Reconciliation }) {
  const t = useTexts(RECONCILIATION);
  const { filters, setFilters } = useFilters(['verdict']);
  const asked = VERDICTS.find((verdict) => verdict === filters.verdict);
  const verdict: Verdict = asked ?? VERDICTS.find((each) => record.counts[each] > 0) ?? 'matched';
  return (
    <Stack gap="lg">
      <Section title={t.verdicts}>
        <Stack gap="md">
          <TotalPoints record={record} />
          <VerdictCards record={record} chosen={verdict} onChoose={(chosen) => setFilters({ verdict: chosen })} />
        </Stack>
      </Section>
      <ReconciliationLines key={verdict} record={record} verdict={verdict} />
    </Stack>
  );
}
