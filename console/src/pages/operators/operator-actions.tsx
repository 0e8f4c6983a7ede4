import { Button, Menu, Select } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { type Change, useChange } from '../../api/use-change.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { DecidedBefore } from '../../parts/dialogs/decided-before.tsx';
import { useNameOf } from '../../parts/person.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { type Role, useMay, useSession } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';
import { readLastEntry, useLastEntry } from '../audit/done-before.tsx';
import { OPERATOR } from './operator-texts.ts';

type Operator = components['schemas']['Operator'];
type Entry = components['schemas']['AuditEntry'];
type SignInCode = components['schemas']['SignInCode'];

/** What the person is about to do with the account of another. */
export interface WantedOperatorStep {
  readonly operator: Operator;
  readonly step: 'changeRole' | 'newLink' | 'disable';
}

interface OperatorActionsProps {
  readonly operator: Operator;
  readonly onStep: (wanted: WantedOperatorStep) => void;
}

/** What an administrator does with the account of somebody else. One's own role and account stay for a colleague to change. */
export function OperatorActions({ operator, onStep }: OperatorActionsProps) {
  const t = useTexts(OPERATOR);
  const nameOf = useNameOf();
  const isOwn = useSession().operator.operatorId === operator.operator_id;
  if (!useMay('admin') || isOwn || operator.status === 'disabled') return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" aria-label={`${t.change}: ${nameOf(operator.operator_id, operator.name)}`}>
          {t.change}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onStep({ operator, step: 'changeRole' })}>{t.changeRole}</Menu.Item>
        <Menu.Item onClick={() => onStep({ operator, step: 'newLink' })}>{t.newLink}</Menu.Item>
        <Menu.Item c="var(--mantine-color-error)" onClick={() => onStep({ operator, step: 'disable' })}>
          {t.disable}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface StepDialogProps {
  readonly operator: Operator;
  readonly onClose: () => void;
}

/** Beside the list, so that it stays where the list changes. */
export function OperatorStepDialog({ step, ...props }: WantedOperatorStep & StepDialogProps & Pick<NewLinkProps, 'reset'>) {
  if (step === 'changeRole') return <RoleDialog {...props} />;
  return step === 'disable' ? <DisableDialog {...props} /> : <NewLinkDialog {...props} />;
}

function RoleDialog({ operator: { operator_id, name, role: present }, onClose }: StepDialogProps) {
  const t = useTexts(OPERATOR);
  const nameOf = useNameOf();
  const { viewer, operator, approver, admin } = useTexts(SHELL);
  const others = Object.entries({ viewer, operator, approver, admin }).filter(([role]) => role !== present);
  const [role, setRole] = useState(others[0]?.[0] as Role);
  const common = useTexts(COMMON);
  const { entry } = useLastEntry(operator_id, 'operator.change-role');
  const isAnother = (last: Entry | null) => last !== null && roleAfter(last) !== present;
  const change = useChange({
    send: (wanted: Role) =>
      answerOf(
        client.PUT('/operator/v1/operators/{operator_id}/role', { params: { path: { operator_id } }, body: { role: wanted } }),
      ),
    done: t.roleChanged(name),
    onDone: onClose,
    isContested: true,
    isMadeNow: async (_wanted, isInDoubt) => !isInDoubt && isAnother(await readLastEntry(operator_id, 'operator.change-role')),
  });
  const faster =
    change.isPending || change.isSuccess || change.inDoubt.length > 0 || !isAnother(entry ?? null) ? undefined : entry;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${t.changeRole}: ${isolateForeign(nameOf(operator_id, name))}`}
      consequence={faster ? common.changedMeanwhile : t.changeRoleConsequence}
      label={t.changeRole}
      isDone={faster !== undefined}
      change={change}
      onConfirm={() => change.mutate(role)}
    >
      {faster ? (
        <DecidedBefore partnerId={undefined} label={t.roleChangedBy} by={faster.operator_id} at={faster.recorded_at} />
      ) : (
        <Select
          label={t.role}
          allowDeselect={false}
          data={others.map(([value, label]) => ({ value, label }))}
          value={role}
          onChange={(value) => setRole(value as Role)}
        />
      )}
    </ConfirmDialog>
  );
}

function roleAfter({ after_json }: Entry): string | undefined {
  return (JSON.parse(after_json ?? '{}') as { role?: string }).role;
}

function DisableDialog({ operator: { operator_id, name }, onClose }: StepDialogProps) {
  const t = useTexts(OPERATOR);
  const nameOf = useNameOf();
  const common = useTexts(COMMON);
  const { entry } = useLastEntry(operator_id, 'operator.disable');
  const disable = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/operators/{operator_id}/disable', {
          params: { path: { operator_id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.disabledDone(name),
    onDone: onClose,
    isContested: true,
    isMadeNow: async () => (await readLastEntry(operator_id, 'operator.disable')) !== null,
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${t.disable}: ${isolateForeign(nameOf(operator_id, name))}`}
      consequence={entry ? common.changedMeanwhile : t.disableConsequence}
      label={t.disable}
      color={entry ? 'forest' : 'red'}
      isDone={entry !== undefined}
      change={disable}
      onConfirm={() => disable.mutate(undefined)}
    >
      {entry && <DecidedBefore partnerId={undefined} label={t.disabledBy} by={entry.operator_id} at={entry.recorded_at} />}
    </ConfirmDialog>
  );
}

/** Beside the list: after an answer that did not come, the same request brings the link that it made, also where the dialog was closed. */
export function useNewLink() {
  const t = useTexts(OPERATOR);
  const reset = useChange({
    send: (operator_id: string, key) =>
      answerOf(
        client.POST('/operator/v1/operators/{operator_id}/reset-sign-in', {
          params: { path: { operator_id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: ({ operator: { name } }) => t.newLinkDone(name),
  });
  useUnsaved(reset.isPending || reset.inDoubt.length > 0, 'doubt');
  return reset;
}

interface NewLinkProps extends StepDialogProps {
  readonly reset: Change<string, SignInCode>;
}

function NewLinkDialog({ operator: { operator_id, name }, reset, onClose }: NewLinkProps) {
  const t = useTexts(OPERATOR);
  const nameOf = useNameOf();
  const made = reset.data?.operator.operator_id === operator_id ? reset.data : undefined;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${t.newLink}: ${isolateForeign(nameOf(operator_id, name))}`}
      consequence={t.newLinkConsequence}
      label={t.newLink}
      color={made ? 'forest' : 'red'}
      change={reset}
      inDoubt={reset.inDoubt.includes(operator_id) && t.newLinkInDoubt}
      isDone={made !== undefined}
      onConfirm={() => reset.mutate(operator_id)}
    >
      {made && <ShownOnce value={location.origin + made.sign_in_path} title={t.link} copyLabel={t.copyLink} />}
    </ConfirmDialog>
  );
}
