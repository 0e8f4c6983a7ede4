import { Alert, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { pathOf } from '../../api/path-of.ts';
import { isolate, isolateForeign } from '../../format/isolate.ts';
import { Page } from '../../layout/page.tsx';
import { AnswerBadge, StatusBadge } from '../../parts/badges.tsx';
import { Download, DownloadButton } from '../../parts/download.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, usePartner } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Foreign, Id, Money, Points, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';
import { useAuthor } from '../audit/use-author.ts';
import { ClosingChecklist } from '../closings/closing-checklist.tsx';
import { CloseSettlement } from './close-settlement.tsx';
import { Dispute } from './dispute.tsx';
import { DisputeReply } from './dispute-reply.tsx';
import { SettlementAdjustments } from './settlement-adjustments.tsx';
import { SettlementLines } from './settlement-lines.tsx';
import { SettlementReconciliations } from './settlement-reconciliations.tsx';
import { SettlementSum } from './settlement-sum.tsx';
import { SETTLEMENT } from './settlement-texts.ts';
import { useSettlement } from './use-settlement.ts';

type Settlement = components['schemas']['Settlement'];

export function SettlementPage() {
  const t = useTexts(SETTLEMENT);
  const shell = useTexts(SHELL);
  const { partnerId = '', settlementId = '' } = useParams({ strict: false });
  const settlement = useSettlement({ partner_id: partnerId, settlement_id: settlementId });
  const partner = usePartner(partnerId).data?.name;
  const period = isolate(settlement.data?.period_label ?? '');
  return (
    <Page
      title={partner === undefined ? `${t.detail} ${period}` : t.titleOf(isolateForeign(partner), period)}
      parent={
        settlement.data?.status === 'open'
          ? { to: '/closings', label: shell.closings }
          : settlement.data && { to: `/settlements?partner=${partnerId}`, label: partner ?? partnerId }
      }
      description={<Id id={settlementId} />}
      actions={settlement.data && <Actions settlement={settlement.data} />}
    >
      <Loaded query={settlement}>
        {(record) => (
          <Stack gap="xl">
            <Dispute settlement={record} />
            <SettlementFacts settlement={record} />
            <SettlementSum settlement={record} />
            {record.status === 'closed' ? <Closed settlement={record} /> : <ClosingChecklist settlement={record} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Closed({ settlement }: { readonly settlement: Settlement }) {
  const of = { partnerId: settlement.partner_id, settlementId: settlement.settlement_id };
  const t = useTexts(SETTLEMENT);
  const mayAnswer = useMay('operator');
  const { acknowledgement } = settlement;
  const isDisputed = acknowledgement.status === 'disputed';
  // What is typed as an answer stays where the partner accepts meanwhile, and so does what it is about.
  const [dispute, setDispute] = useState(isDisputed ? acknowledgement : undefined);
  if (isDisputed && dispute?.acknowledged_at !== acknowledgement.acknowledged_at) setDispute(acknowledgement);
  return (
    <>
      <SettlementReconciliations {...of} />
      <SettlementLines {...of} />
      <SettlementAdjustments settlement={settlement} />
      {mayAnswer && dispute && !isDisputed && <Alert color="gray">{t.acceptedMeanwhile}</Alert>}
      {mayAnswer && dispute && <DisputeReply settlement={settlement} dispute={dispute} />}
    </>
  );
}

function Actions({ settlement }: { readonly settlement: Settlement }) {
  return (
    <>
      <CloseSettlement settlement={settlement} />
      {settlement.status === 'closed' && <Statements settlement={settlement} />}
    </>
  );
}

function Statements({ settlement: { partner_id, settlement_id } }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const statement = pathOf`partners/${partner_id}/settlements/${settlement_id}/statement`;
  return (
    <>
      <Download href={csvAddress(statement, { excel_safe: true })} help={t.sheetHelp}>
        {t.sheet}
      </Download>
      <DownloadButton href={csvAddress(statement)}>{t.statement}</DownloadButton>
    </>
  );
}

function ClosedBy({ settlement }: { readonly settlement: Settlement }) {
  const closer = useAuthor(settlement.settlement_id, 'settlement.close');
  return (
    <>
      {closer && <Person id={closer} />} <Time at={settlement.closed_at} zone={settlement.period_timezone} />
    </>
  );
}

function SettlementFacts({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const { period_timezone: zone, currency, acknowledgement, statement } = settlement;
  const isClosed = settlement.status === 'closed';
  // What a partner says against it stands above.
  const said = [
    { label: t.note, text: acknowledgement.note },
    { label: t.reference, text: acknowledgement.reference },
  ];
  const toFact = ({ label, text }: (typeof said)[number]) => ({ label, value: <Foreign text={text} isWhole /> });
  const points = (label: string, value: string) => ({ label, value: <Points value={value} /> });
  const money = (label: string, amount: string | null) => ({ label, value: <Money amount={amount} currency={currency} /> });
  return (
    <Facts
      columns={3}
      lead={[
        points(t.payablePoints, settlement.payable_points),
        ...(settlement.payable_amount === null ? [] : [money(t.payableAmount, settlement.payable_amount)]),
        { label: common.status, value: <StatusBadge status={settlement.status} /> },
        ...(isClosed ? [{ label: t.answer, value: <AnswerBadge settlement={settlement} /> }] : []),
      ]}
      facts={[
        { label: common.partner, value: <PartnerLink id={settlement.partner_id} /> },
        { label: t.from, value: <Time at={settlement.period_start} zone={zone} /> },
        { label: t.until, value: <Time at={settlement.period_end} zone={zone} /> },
        ...(settlement.as_of === null
          ? []
          : [{ label: t.asOf, value: <Time at={settlement.as_of} zone={zone} style="second" /> }]),
        ...(isClosed ? [{ label: t.closedAt, value: <ClosedBy settlement={settlement} /> }] : []),
        ...(acknowledgement.status === 'accepted' ? said.filter(({ text }) => text).map(toFact) : []),
        ...(statement ? [{ label: t.hash, value: <Id id={statement.csv_sha256} isShort /> }] : []),
      ]}
    />
  );
}
