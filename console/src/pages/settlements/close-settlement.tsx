import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { Loaded } from '../../parts/state.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CHECKLIST, LeftToDecide, Totals, useClosing, useWarningCount } from '../closings/closing-checklist.tsx';
import { PartnerVerification } from '../closings/partner-verification.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

type Settlement = components['schemas']['Settlement'];

/** Closes a settlement before its period ends, with what is still open in sight. */
export function CloseSettlement({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const [isOpen, setOpen] = useState(false);
  const { partner_id, settlement_id, period_label } = settlement;
  const warnings = useWarningCount(partner_id);
  const close = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/close', {
          params: { path: { partner_id, settlement_id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.closeDone(period_label),
    onDone: () => setOpen(false),
  });
  if (!useMay('approver')) return null;
  return (
    <>
      {warnings !== undefined && warnings > 0 && (
        <a className="text-link" href={`#${CHECKLIST}`}>
          {t.warnings(warnings)}
        </a>
      )}
      <Button color="red" variant="light" onClick={() => setOpen(true)}>
        {t.close}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.closeTitle}
        consequence={t.closeConsequence}
        label={t.close}
        color="red"
        change={close}
        onConfirm={() => close.mutate(undefined)}
      >
        <Checklist settlement={settlement} />
      </ConfirmDialog>
    </>
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
