import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RULE } from './rule-texts.ts';

type Rule = components['schemas']['Rule'];

/** Withdraws a version that has not started. */
export function WithdrawRule({ rule: { kind, version } }: { readonly rule: Rule }) {
  const t = useTexts(RULE);
  const [isOpen, setOpen] = useState(false);
  const withdraw = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/rules/{kind}/{version}/withdraw', {
          params: { path: { kind, version }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.withdrawDone(version),
    onDone: () => setOpen(false),
  });
  if (!useMay('admin')) return null;
  return (
    <>
      <RowButton label={t.withdraw} isRefusal onClick={() => setOpen(true)} />
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${t.withdraw}: ${version}`}
        consequence={t.withdrawConsequence}
        label={t.withdraw}
        color="red"
        change={withdraw}
        onConfirm={() => withdraw.mutate(undefined)}
      />
    </>
  );
}
