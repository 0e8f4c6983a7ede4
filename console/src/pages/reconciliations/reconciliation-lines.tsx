import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { usePages } from '../../api/use-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { type Column, RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/state.tsx';
import { Foreign, Points } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { VERDICT } from '../../texts/record-texts.ts';
import { DraftDialog } from '../adjustments/draft-dialog.tsx';
import { RECONCILIATION, VERDICT_HELP } from './reconciliation-texts.ts';
import { deltaOf, type Reconciliation, type ReconciliationLine, type Verdict } from './verdicts.ts';

interface LinesProps {
  readonly record: Reconciliation;
  readonly verdict: Verdict;
}

export function ReconciliationLines({ record, verdict }: LinesProps) {
  const t = useTexts(RECONCILIATION);
  const names = useTexts(VERDICT);
  const help = useTexts(VERDICT_HELP);
  const { partner_id, reconciliation_id } = record;
  const list = `partners/${partner_id}/reconciliations/${reconciliation_id}/lines`;
  return (
    <Section
      title={names[verdict]}
      actions={
        !record.lines_removed_at && (
          <a className="text-link" href={csvAddress(list)} download>
            {t.exportAll}
          </a>
        )
      }
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed" maw={760}>
          {help[verdict]}
        </Text>
        {record.lines_removed_at ? (
          <Alert color="gray">{t.removed}</Alert>
        ) : (
          <LinesOfVerdict record={record} verdict={verdict} csv={csvAddress(list, { verdict })} />
        )}
      </Stack>
    </Section>
  );
}

function LinesOfVerdict({ record, verdict, csv }: LinesProps & { readonly csv: string }) {
  const t = useTexts(RECONCILIATION);
  const columns = useColumns(record, verdict);
  const { partner_id, reconciliation_id } = record;
  const path = { partner_id, reconciliation_id };
  const query = usePages(['reconciliation-lines', path, verdict], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/reconciliations/{reconciliation_id}/lines', {
        params: { path, query: { verdict, ...place } },
      }),
    ),
  );
  return (
    <RecordPages
      label={t.linesOf}
      query={query}
      csv={csv}
      csvLabel={t.exportThese}
      rowsOf={({ lines }) => lines}
      keyOf={({ position }) => position}
      empty={<Empty title={t.none} icon="compare" />}
      columns={columns}
    />
  );
}

type LineColumn = Column<ReconciliationLine>;

/** The values of both sides beside each other; each verdict shows what it is about. */
function useColumns(record: Reconciliation, verdict: Verdict): readonly LineColumn[] {
  const t = useTexts(RECONCILIATION);
  const common = useTexts(COMMON);
  const mayDraft = useMay('operator');
  const { partner_id } = record;
  const points = (label: string, show: LineColumn['show']): LineColumn => ({ label, isFigure: true, show });
  const isListed = verdict !== 'missing_in_partner_file';
  const isRecorded = verdict !== 'missing_in_service' && verdict !== 'malformed';
  const differs = verdict === 'points_mismatch' ? 'differs' : undefined;
  const columns: (LineColumn | false)[] = [
    isListed && points(t.line, ({ line_no }) => <Points value={line_no} />),
    { label: t.event, show: ({ partner_event_id }) => <Foreign text={partner_event_id} /> },
    isListed && { label: t.orderInFile, show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
    isRecorded &&
      verdict !== 'matched' && {
        label: t.orderInService,
        show: ({ recorded_order_ref }) => <Foreign text={recorded_order_ref} />,
      },
    isListed &&
      points(t.pointsInFile, (line) => (
        <span className={differs}>
          <Points value={line.points} />
        </span>
      )),
    isRecorded && points(t.pointsInService, ({ recorded_points }) => <Points value={recorded_points} />),
    isRecorded && points(t.netInService, ({ recorded_net_points }) => <Points value={recorded_net_points} />),
    verdict === 'matched' && {
      label: t.matchedBy,
      show: ({ matched_points }) => (matched_points === null ? '–' : t[matched_points]),
    },
    verdict === 'other_settlement' && {
      label: t.inSettlement,
      show: ({ recorded_settlement_id: id }) =>
        id === null ? t.noneYet : <AddressLink to={`/settlements/${partner_id}/${id}`}>{id}</AddressLink>,
    },
    verdict === 'malformed' && {
      label: t.why,
      show: ({ details }) => <span className="foreign">{details.map(({ message }) => message).join(' ')}</span>,
    },
    isRecorded && {
      label: common.contribution,
      show: ({ transaction_id }) =>
        transaction_id === null ? (
          '–'
        ) : (
          <AddressLink to={`/contributions/${partner_id}/${transaction_id}`} className="id foreign-line">
            {`…${transaction_id.slice(-8)}`}
          </AddressLink>
        ),
    },
    mayDraft &&
      (verdict === 'points_mismatch' || verdict === 'missing_in_partner_file') && {
        label: '',
        show: (line) => <DraftFromLine partnerId={partner_id} line={line} />,
      },
  ];
  return columns.filter((column) => column !== false);
}

function DraftFromLine({ partnerId, line }: { readonly partnerId: string; readonly line: ReconciliationLine }) {
  const t = useTexts(RECONCILIATION);
  const [isOpen, setOpen] = useState(false);
  const delta = deltaOf(line);
  if (delta === undefined || line.transaction_id === null) return null;
  return (
    <Group justify="flex-end">
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {t.adjust}
      </Button>
      {isOpen && (
        <DraftDialog
          contribution={{ partner_id: partnerId, transaction_id: line.transaction_id }}
          initialDelta={delta}
          isOpen
          onClose={() => setOpen(false)}
        />
      )}
    </Group>
  );
}
