import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { isolate, isolateForeign } from '../../format/isolate.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { DecidedBefore } from '../../parts/dialogs/decided-before.tsx';
import { usePartner } from '../../parts/partner.tsx';
import { Loaded } from '../../parts/state.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { useAuthor } from '../audit/use-author.ts';
import { CHECKLIST, LeftToDecide, Totals, useClosing, useWarningCount } from '../closings/closing-checklist.tsx';
import { PartnerVerification } from '../closings/partner-verification.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

type Settlement = components['schemas']['Settlement'];

/** Closes a settlement before its period ends, with what is still open in sight. Its dialog stays where somebody else closes it meanwhile. */
export function CloseSettlement({ settlement }: { readonly settlement: Settlement }) {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('approver')) return null;
  return (
    <>
      {settlement.status === 'open' && <Offer partnerId={settlement.partner_id} onOpen={() => setOpen(true)} />}
      <CloseDialog settlement={settlement} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function Offer({ partnerId, onOpen }: { readonly partnerId: string; readonly onOpen: () => void }) {
  const t = useTexts(SETTLEMENT);
  const warnings = useWarningCount(partnerId);
  return (
    <>
      {warnings !== undefined && warnings > 0 && (
        <a className="text-link" href={`#${CHECKLIST}`}>
          {t.warnings(warnings)}
        </a>
      )}
      <Button color="red" variant="light" onClick={onOpen}>
        {t.close}
      </Button>
    </>
  );
}

interface CloseDialogProps {
  readonly settlement: Settlement;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function CloseDialog({ settlement, isOpen, onClose }: CloseDialogProps) {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const { partner_id, settlement_id, period_label, status } = settlement;
  const partner = usePartner(partner_id).data?.name ?? partner_id;
  const close = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/close', {
          params: { path: { partner_id, settlement_id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.closeDone(period_label),
    onDone: onClose,
    isContested: true,
  });
  const isClosed = status === 'closed';
  const title = isClosed ? t.closedTitle : t.closeTitle;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={title(isolateForeign(partner), isolate(period_label))}
      consequence={isClosed ? common.decidedMeanwhile : t.closeConsequence}
      label={t.close}
      color={isClosed ? 'gray' : 'red'}
      isDone={isClosed}
      change={close}
      onConfirm={() => close.mutate(undefined)}
    >
      {isClosed ? <ClosedMeanwhile settlement={settlement} /> : <Checklist settlement={settlement} />}
    </ConfirmDialog>
  );
}

function ClosedMeanwhile({ settlement: { partner_id, settlement_id, closed_at } }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const closer = useAuthor(settlement_id, 'settlement.close');
  return (
    <Text>
      <DecidedBefore partnerId={partner_id} label={t.closedBy} by={closer} at={closed_at} />
    </Text>
  );
}

function Checklist({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const closing = useClosing(settlement.partner_id);
  return (
    <Stack gap="sm">
      <Text fw={600}>{t.before}</Text>
      <Loaded query={closing}>
        {(record) => (
          <>
            <LeftToDecide closing={record} />
            <PartnerVerification partnerId={settlement.partner_id} />
            <Totals now={settlement} before={record.last_settlement} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}
