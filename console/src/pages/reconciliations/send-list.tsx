import { Alert, Paper, Progress, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { components } from '../../api/operator-types.ts';
import { pathOf, type ServicePath } from '../../api/path-of.ts';
import { sendFile } from '../../api/send-file.ts';
import { useChange } from '../../api/use-change.ts';
import { prefixOfId } from '../../format/id-prefix.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { DropZone } from '../../parts/fields/drop-zone.tsx';
import { Problem } from '../../parts/problem.tsx';
import { quartersOf, ToldProgress } from '../../parts/progress/told-progress.tsx';
import { Foreign } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ACCEPTED, mediaTypeOf, refusalOf } from './read-file.ts';
import { RECONCILIATION } from './reconciliation-texts.ts';

type Reconciliation = components['schemas']['Reconciliation'];

interface SendListProps {
  readonly partnerId: string | undefined;
  readonly settlementId: string | undefined;
}

interface ChosenFile {
  readonly path: ServicePath;
  readonly file: File;
  /** The name of the file is a part of the key, as are its size and time: the same file again is the same change. */
  readonly name: string;
  readonly size: number;
  readonly modified: number;
}

/** A file for a settlement: it is sent as soon as it is dropped, because it changes nothing. */
export function SendList({ partnerId, settlementId }: SendListProps) {
  const t = useTexts(RECONCILIATION);
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<keyof typeof RECONCILIATION>();
  const [share, setShare] = useState(0);
  const send = useChange({
    send: ({ path, file }: ChosenFile, key) =>
      sendFile<Reconciliation>(path, { file, key, contentType: mediaTypeOf(file), onProgress: setShare }),
    done: t.received,
    onDone: ({ partner_id, reconciliation_id }) => void navigate({ href: `/reconciliations/${partner_id}/${reconciliation_id}` }),
  });
  useWarnBeforeLeaving(send.isPending);
  // The sign-in says that the session ended, and not what became of the file.
  const isLost = send.isError && send.error === null;
  const path = pathOfLists(partnerId, settlementId);
  const take = (file: File) => {
    setRefusal(refusalOf(file));
    if (path === undefined || refusalOf(file) !== undefined) return send.reset();
    setShare(0);
    send.mutate({ path, file, name: file.name, size: file.size, modified: file.lastModified });
  };
  return (
    <Stack gap="md">
      {send.isPending && send.variables ? (
        <Sending file={send.variables.file} share={share} />
      ) : (
        <DropZone
          label={t.drop}
          help={path ? t.dropHelp : t.choosePartnerFirst}
          accept={ACCEPTED}
          isDisabled={path === undefined}
          onFile={take}
        />
      )}
      {refusal !== undefined && (
        <Alert color="red" role="alert">
          {String(t[refusal])}
        </Alert>
      )}
      {isLost && send.variables && (
        <Alert color="red" role="alert">
          {t.notReceived(isolateForeign(send.variables.file.name))}
        </Alert>
      )}
      <Problem error={send.error} />
    </Stack>
  );
}

/** None before both are chosen. An address may name something else: no list is sent by that. */
function pathOfLists(partnerId = '', settlementId = ''): ServicePath | undefined {
  if (prefixOfId(partnerId) !== 'ptn' || prefixOfId(settlementId) !== 'stl') return undefined;
  return pathOf`partners/${partnerId}/settlements/${settlementId}/reconciliations`;
}

function Sending({ file, share }: { readonly file: File; readonly share: number }) {
  const t = useTexts(RECONCILIATION);
  const percent = Math.floor(share * 100);
  const text = share >= 1 ? t.reading : t.sending(`${percent}%`);
  return (
    <Paper p="lg">
      <Stack gap="xs">
        <Foreign text={file.name} />
        <Progress value={share >= 1 ? 100 : percent} animated={share >= 1} aria-label={text} />
        <Text size="sm">{text}</Text>
        <ToldProgress text={text} step={quartersOf(share, 1)} />
        <Text size="sm" c="dimmed">
          {t.keepOpen}
        </Text>
      </Stack>
    </Paper>
  );
}

/** The browser asks before it leaves a file that is half sent. */
function useWarnBeforeLeaving(isSending: boolean): void {
  useEffect(() => {
    if (!isSending) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isSending]);
}
