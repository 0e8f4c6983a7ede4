import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { present } from '../../api/present.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { useChange } from '../../api/use-change.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { formatTime, ownZone } from '../../format/time.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { type Role, useMay } from '../../session/session.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';
import { OPERATOR } from './operator-texts.ts';

const MINUTE_MS = 60_000;
/** The service counts two accounts of one maker as two persons after so long. */
const CONTROL_MS = 7 * 24 * 60 * MINUTE_MS;

/** In whole minutes, of an account that is made now or was made then. */
function secondFrom(createdAt = new Date(serviceNow()).toISOString()): string {
  return new Date(Math.ceil((Date.parse(createdAt) + CONTROL_MS) / MINUTE_MS) * MINUTE_MS).toISOString();
}

/** Adds a person, and shows the one-time link for the first sign-in. */
export function AddOperator() {
  const t = useTexts(OPERATOR);
  const { viewer, operator, approver, admin } = useTexts(SHELL);
  const { language } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const add = useChange({
    send: (body: { name: string; role: Role; email?: string }, key) =>
      answerOf(client.POST('/operator/v1/operators', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.added(name.trim()),
  });
  // The list has the person then, and the same request brings the link.
  const isInDoubt = add.inDoubt.length > 0;
  useUnsaved(add.isPending || isInDoubt, 'doubt');
  if (!useMay('admin')) return null;
  const close = () => {
    setOpen(false);
    if (isInDoubt) return;
    setName('');
    setEmail('');
    setRole('operator');
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.add}</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={close}
        title={t.add}
        consequence={t.addConsequence(formatTime(secondFrom(add.data?.operator.created_at), { language, zone: ownZone() }))}
        label={t.add}
        change={add}
        fields={['name', 'email']}
        inDoubt={isInDoubt && t.addInDoubt}
        isDone={add.isSuccess}
        onConfirm={() => add.mutate({ name: name.trim(), role, ...present({ email: email.trim() }) })}
      >
        <Stack gap="md">
          <TextInput
            label={t.name}
            required
            dir="auto"
            disabled={add.isLocked}
            value={name}
            error={problemOf(add.error, 'name', t.name)}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t.email}
            type="email"
            required={role === 'approver' || role === 'admin'}
            dir="ltr"
            disabled={add.isLocked}
            value={email}
            error={problemOf(add.error, 'email', t.email)}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Select
            label={t.role}
            allowDeselect={false}
            data={Object.entries({ viewer, operator, approver, admin }).map(([value, label]) => ({ value, label }))}
            disabled={add.isLocked}
            value={role}
            onChange={(value) => setRole(value as Role)}
          />
          {add.data && <ShownOnce value={location.origin + add.data.sign_in_path} title={t.link} copyLabel={t.copyLink} />}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
