/** The values of both sides beside each other: each verdict shows what it is about. */
import { StatusBadge } from '../../parts/badges.tsx';
import { ShortLink } from '../../parts/codes/short-link.tsx';
import { PeriodLabel } from '../../parts/period.tsx';
import type { Column } from '../../parts/records.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Foreign, Points } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from '../adjustments/adjustment-texts.ts';
import { DraftOfLine } from '../adjustments/draft-of-line.tsx';
import { type OpenAdjustments, useOpenAdjustments } from '../adjustments/open-adjustments.tsx';
import { useSettlement } from '../settlements/use-settlement.ts';
import { NOT_CONFIRMED, RECONCILIATION } from './reconciliation-texts.ts';
import { adviceOf, deltaOf, type Reconciliation, type ReconciliationLine, type Verdict } from './verdicts.ts';
import { WhyUnreadable } from './why-unreadable.tsx';

type LineColumn = Column<ReconciliationLine>;

const LISTED = ['line', 'listed', 'points'] as const;
const RECORDED = ['recordedPoints', 'netPoints', 'contribution'] as const;

const SHOWN = {
  points_mismatch: [...LISTED, ...RECORDED, 'draft'],
  missing_in_service: [...LISTED, 'status', 'contribution', 'advice'],
  missing_in_partner_file: ['recorded', ...RECORDED, 'draft'],
  order_ref_mismatch: ['line', 'event', 'order', 'recordedOrder', 'points', ...RECORDED],
  duplicate_in_file: [...LISTED, ...RECORDED],
  other_settlement: [...LISTED, ...RECORDED, 'settlement'],
  malformed: [...LISTED, 'why'],
  matched: [...LISTED, ...RECORDED, 'matchedBy'],
} as const satisfies Readonly<Record<Verdict, readonly string[]>>;

type Name = (typeof SHOWN)[Verdict][number];

export function useLineColumns(record: Reconciliation, verdict: Verdict): readonly LineColumn[] {
  const { partner_id: partnerId, settlement_id: settlementId } = record;
  const t = useTexts(RECONCILIATION);
  const common = useTexts(COMMON);
  const adjustment = useTexts(ADJUSTMENT);
  const advice = useTexts(NOT_CONFIRMED);
  const mayDraft = useMay('operator');
  const names: readonly Name[] = SHOWN[verdict];
  const open = useOpenAdjustments({ partnerId, settlementId }, names.includes('draft'));
  const columns: Readonly<Record<Name, LineColumn>> = {
    line: { label: t.line, sort: 'position', sortKind: 'size', show: ({ line_no }) => <Points value={line_no} /> },
    event: { label: t.event, show: ({ partner_event_id }) => <Foreign text={partner_event_id} /> },
    listed: {
      label: t.eventAndOrder,
      show: (line) => <EventAndOrder event={line.partner_event_id} order={line.partner_order_ref} />,
    },
    recorded: {
      label: t.eventAndOrder,
      show: (line) => <EventAndOrder event={line.partner_event_id} order={line.recorded_order_ref} />,
    },
    order: { label: t.orderInFile, show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
    recordedOrder: { label: t.orderInService, show: ({ recorded_order_ref }) => <Foreign text={recorded_order_ref} /> },
    points: { label: t.pointsInFile, isFigure: true, show: (line) => <ListedPoints line={line} /> },
    recordedPoints: { label: t.pointsInService, isFigure: true, show: (line) => <Points value={line.recorded_points} /> },
    netPoints: {
      label: t.netInService,
      isFigure: true,
      show: (line) => <Points value={line.recorded_net_points ?? line.settled_points} />,
    },
    contribution: {
      label: common.contribution,
      show: ({ transaction_id: id }) =>
        id === null ? <Absent /> : <ShortLink to={`/contributions/${partnerId}/${id}`} id={id} />,
    },
    status: {
      label: common.status,
      show: ({ contribution_status: status }) => (status === null ? t.notRecorded : <StatusBadge status={status} />),
    },
    advice: { label: t.whatToDo, isSentences: true, show: (line) => advice[adviceOf(line)] },
    matchedBy: { label: t.matchedBy, show: ({ matched_points: by }) => (by === null ? <Absent /> : t[by]) },
    settlement: {
      label: t.inSettlement,
      show: ({ recorded_settlement_id: id }) =>
        id === null ? t.noneYet : <OtherSettlement partnerId={partnerId} settlementId={id} />,
    },
    why: { label: t.why, isSentences: true, show: (line) => <WhyUnreadable line={line} /> },
    draft: {
      label: adjustment.detail,
      isGiven: (line) => deltaOf(line, record) !== undefined,
      show: (line) => <DraftFromLine record={record} line={line} open={open} />,
    },
  };
  return names.filter((name) => name !== 'draft' || mayDraft).map((name) => columns[name]);
}

function EventAndOrder({ event, order }: { readonly event: string | null; readonly order: string | null }) {
  if (event === null && order === null) return <Absent />;
  return <TwoLines first={<Foreign text={event} />} second={<Foreign text={order} />} />;
}

function ListedPoints({ line: { points, verdict } }: { readonly line: ReconciliationLine }) {
  return (
    <span className={verdict === 'points_mismatch' ? 'differs' : undefined}>
      <Points value={points} />
    </span>
  );
}

/** Named by its period, because a file belongs to one. */
function OtherSettlement({ partnerId, settlementId }: { readonly partnerId: string; readonly settlementId: string }) {
  const { data } = useSettlement({ partner_id: partnerId, settlement_id: settlementId }, { isRereadLive: false });
  return (
    <TwoLines
      first={data && <PeriodLabel label={data.period_label} />}
      second={<ShortLink to={`/settlements/${partnerId}/${settlementId}`} id={settlementId} />}
    />
  );
}

interface DraftFromLineProps {
  readonly record: Reconciliation;
  readonly line: ReconciliationLine;
  readonly open: OpenAdjustments | undefined;
}

function DraftFromLine({ record, line, open }: DraftFromLineProps) {
  const { transaction_id, partner_order_ref: order } = line;
  const delta = deltaOf(line, record);
  if (delta === undefined || transaction_id === null) return null;
  const contribution = { partner_id: record.partner_id, transaction_id };
  return <DraftOfLine contribution={contribution} order={order} open={open} initialDelta={delta} />;
}
