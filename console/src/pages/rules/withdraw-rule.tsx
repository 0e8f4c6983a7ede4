import { Text } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { DecidedBefore } from '../../parts/dialogs/decided-before.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { useLastEntry } from '../audit/done-before.tsx';
import { RULE } from './rule-texts.ts';

interface WithdrawRuleProps {
  readonly rule: components['schemas']['Rule'];
  readonly onClose: () => void;
}

/** Withdraws a version that has not started. Beside the list, so that it stays where a colleague is faster, or the version starts. */
export function WithdrawRule({ rule: { kind, version, partner_id }, onClose }: WithdrawRuleProps) {
  const t = useTexts(RULE);
  const common = useTexts(COMMON);
  const { entry: withdrawn } = useLastEntry(`${kind}/${version}`, 'rule.withdraw');
  const change = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/rules/{kind}/{version}/withdraw', {
          params: { path: { kind, version }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.withdrawDone(version),
    onDone: onClose,
    isContested: true,
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${t.withdraw}: ${isolateForeign(version)}`}
      consequence={withdrawn ? common.changedMeanwhile : t.withdrawConsequence}
      label={t.withdraw}
      color={withdrawn ? 'forest' : 'red'}
      isDone={withdrawn !== undefined}
      change={change}
      onConfirm={() => change.mutate(undefined)}
    >
      {withdrawn && (
        <Text>
          <DecidedBefore
            partnerId={partner_id ?? undefined}
            label={t.withdrawnBy}
            by={withdrawn.operator_id}
            at={withdrawn.recorded_at}
          />
        </Text>
      )}
    </ConfirmDialog>
  );
}
