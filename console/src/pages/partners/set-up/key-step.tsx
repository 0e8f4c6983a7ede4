import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import type { components, operations } from '../../../api/operator-types.ts';
import { useChange } from '../../../api/use-change.ts';
import { useUnsaved } from '../../../app/unsaved.ts';
import { FieldRow } from '../../../parts/fields/field-row.tsx';
import { MomentField } from '../../../parts/fields/moment-field.tsx';
import { Problem, problemOf } from '../../../parts/problem.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { Loaded } from '../../../parts/state.tsx';
import { useMay } from '../../../session/session.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { KeyList } from './key-list.tsx';
import { SET_UP } from './set-up-texts.ts';
import { Step } from './step.tsx';

type Body = operations['issueApiKey']['requestBody']['content']['application/json'];
type Permission = Body['permission'];
type Issued = components['schemas']['IssuedApiKey'];

interface KeyStepProps {
  readonly partnerId: string | undefined;
  /** Issued on this page; the first confirmation uses the latest. */
  readonly issued: readonly Issued[];
  readonly onIssued: (issued: Issued) => void;
}

export function KeyStep({ partnerId, issued, onIssued }: KeyStepProps) {
  const t = useTexts(SET_UP);
  const path = { partner_id: partnerId ?? '' };
  const keys = useQuery({
    queryKey: ['keys', partnerId],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/keys', { params: { path } })),
    enabled: partnerId !== undefined,
  });
  const active = keys.data?.keys.filter(({ status }) => status === 'active') ?? [];
  return (
    <Step
      number={3}
      title={t.key}
      help={t.keyHelp}
      state={active.length > 0 ? 'done' : 'open'}
      isLocked={partnerId === undefined}
    >
      <Loaded query={keys}>
        {(answer) => (
          <Stack gap="sm">
            {issued.map(({ key, api_key }) => (
              <ShownOnce key={key.key_id} value={api_key} title={t.issued(key.name)} copyLabel={t.copyKey} />
            ))}
            {answer.keys.length > 0 && <KeyList partnerId={path.partner_id} onIssued={onIssued} />}
            <IssueKey partnerId={path.partner_id} isFirst={active.length === 0} onIssued={onIssued} />
          </Stack>
        )}
      </Loaded>
    </Step>
  );
}

interface Stated {
  readonly name: string;
  readonly permission: Permission;
  /** In the reader's own zone; empty for a key without an end. */
  readonly ends: string;
}

const PROPOSED: Stated = { name: 'server', permission: 'read_write', ends: '' };

function toBody({ name, permission, ends }: Stated): Body {
  return { name: name.trim(), permission, ...(ends !== '' && { expires_at: new Date(ends).toISOString() }) };
}

interface IssueKeyProps {
  readonly partnerId: string;
  readonly isFirst: boolean;
  readonly onIssued: (issued: Issued) => void;
}

function IssueKey({ partnerId, isFirst, onIssued }: IssueKeyProps) {
  const t = useTexts(SET_UP);
  const [isOpen, setOpen] = useState(false);
  const [stated, setStated] = useState(PROPOSED);
  const issue = useChange({
    send: (body: Body, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/keys', {
          params: { path: { partner_id: partnerId }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    done: t.issued(stated.name.trim()),
    onDone: (issued) => {
      setOpen(false);
      setStated({ ...PROPOSED, permission: stated.permission });
      onIssued(issued);
    },
  });
  // The list has the key then, and the same request brings it whole.
  const isInDoubt = issue.inDoubt.length > 0;
  // A form into which somebody types stays open when a colleague makes the first one.
  const isTyped = stated.name !== PROPOSED.name || stated.ends !== PROPOSED.ends;
  useUnsaved(isTyped);
  useUnsaved(issue.isPending || isInDoubt, 'doubt');
  if (!useMay('operator')) return null;
  if (!isFirst && !isOpen && !isInDoubt && !isTyped)
    return (
      <Group>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t.anotherKey}
        </Button>
      </Group>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        issue.mutate(toBody(stated));
      }}
    >
      <Stack gap="sm">
        <KeyFields stated={stated} isLocked={issue.isLocked} error={issue.error} onChange={setStated} />
        <Group>
          <Button type="submit" loading={issue.isPending}>
            {t.issue}
          </Button>
        </Group>
        <Problem error={issue.error} fields={['name', 'expires_at']} inDoubt={isInDoubt && !issue.isPending && t.issueInDoubt} />
      </Stack>
    </form>
  );
}

interface KeyFieldsProps {
  readonly stated: Stated;
  readonly isLocked: boolean;
  readonly error: Error | null;
  readonly onChange: (stated: Stated) => void;
}

function KeyFields({ stated, isLocked, error, onChange }: KeyFieldsProps) {
  const t = useTexts(SET_UP);
  return (
    <>
      <FieldRow columns={2}>
        <TextInput
          label={t.keyName}
          required
          dir="auto"
          maxLength={200}
          disabled={isLocked}
          value={stated.name}
          error={problemOf(error, 'name')}
          onChange={(event) => onChange({ ...stated, name: event.currentTarget.value })}
        />
        <Select
          label={t.permission}
          allowDeselect={false}
          data={(['read_write', 'manage', 'read_only'] as const).map((value) => ({ value, label: t[value] }))}
          disabled={isLocked}
          value={stated.permission}
          onChange={(value) => onChange({ ...stated, permission: value as Permission })}
        />
      </FieldRow>
      <FieldRow columns={2}>
        <MomentField
          label={t.ends}
          description={t.endsHelp}
          disabled={isLocked}
          value={stated.ends}
          error={problemOf(error, 'expires_at', t.ends)}
          onChange={(ends) => onChange({ ...stated, ends })}
        />
      </FieldRow>
    </>
  );
}
