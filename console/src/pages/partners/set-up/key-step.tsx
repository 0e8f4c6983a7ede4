import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import type { components, operations } from '../../../api/operator-types.ts';
import { useChange } from '../../../api/use-change.ts';
import { useUnsaved } from '../../../app/unsaved.ts';
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

const PROPOSED_NAME = 'server';

interface IssueKeyProps {
  readonly partnerId: string;
  readonly isFirst: boolean;
  readonly onIssued: (issued: Issued) => void;
}

function IssueKey({ partnerId, isFirst, onIssued }: IssueKeyProps) {
  const t = useTexts(SET_UP);
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState(PROPOSED_NAME);
  const [permission, setPermission] = useState<Permission>('read_write');
  const issue = useChange({
    send: (body: Body, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/keys', {
          params: { path: { partner_id: partnerId }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    done: t.issued(name.trim()),
    onDone: (issued) => {
      setOpen(false);
      setName(PROPOSED_NAME);
      onIssued(issued);
    },
  });
  // The list has the key then, and the same request brings it whole.
  const isInDoubt = issue.inDoubt.length > 0;
  // A form into which somebody types stays open when a colleague makes the first one.
  const isTyped = name !== PROPOSED_NAME;
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
        issue.mutate({ name: name.trim(), permission });
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end">
          <TextInput
            label={t.keyName}
            required
            dir="auto"
            maxLength={200}
            disabled={isInDoubt}
            value={name}
            error={problemOf(issue.error, 'name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={t.permission}
            allowDeselect={false}
            w={{ base: '100%', sm: 320 }}
            data={(['read_write', 'manage', 'read_only'] as const).map((value) => ({ value, label: t[value] }))}
            disabled={isInDoubt}
            value={permission}
            onChange={(value) => setPermission(value as Permission)}
          />
          <Button type="submit" loading={issue.isPending}>
            {t.issue}
          </Button>
        </Group>
        <Problem error={issue.error} fields={['name']} inDoubt={isInDoubt && !issue.isPending && t.issueInDoubt} />
      </Stack>
    </form>
  );
}
