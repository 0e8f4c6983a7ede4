import { Alert, Autocomplete, Button, Code, FileInput, Group, Loader, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../api/operator-types.ts';
import { pathOf } from '../../api/path-of.ts';
import { sendFile } from '../../api/send-file.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { MomentField } from '../../parts/fields/moment-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { Id } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { FasterChange } from './faster-change.tsx';
import { IMPACT } from './impact-texts.ts';

/** What the service takes at most. */
const BYTES_MAX = 256 * 1024 * 1024;
const TYPES = ['photo', 'satellite_image', 'report', 'invoice', 'survey'];

interface Chosen {
  readonly file: File;
  /** While it is computed, there is none. */
  readonly sha256?: string;
  /** Why it is not sent. */
  readonly refusal?: 'unreadable' | 'fileTooLarge';
}

interface Stated {
  readonly type: string;
  readonly url: string;
  /** The text of the browser's field, in the time zone of the person. */
  readonly captured: string;
}

const NOTHING: Stated = { type: 'photo', url: '', captured: '' };

type Upload = { readonly file: File } & Readonly<Record<'file_name' | 'sha256' | 'type' | 'url' | 'captured_at', string>>;

interface AddEvidenceProps {
  readonly batchId: string;
  /** After it no evidence is added. */
  readonly verified: components['schemas']['ImpactBatchDetail']['changes'][number] | undefined;
}

/** Records a file as evidence: hashed here, sent, and hashed again by the service, which compares the two. */
export function AddEvidence({ batchId, verified }: AddEvidenceProps) {
  const t = useTexts(IMPACT);
  const { changedMeanwhile } = useTexts(COMMON);
  const [isOpen, setOpen] = useState(false);
  /** Whether it was tried to send no file. */
  const [isMissing, setMissing] = useState(false);
  const { chosen, choose, requireReadable, isHashing } = useHashedFile();
  const [stated, setStated] = useState(NOTHING);
  const [share, setShare] = useState(0);
  const add = useChange({
    send({ file, ...query }: Upload, key) {
      setShare(0);
      const path = pathOf`impact-batches/${batchId}/evidence`;
      return sendFile(path, { query, file, key, contentType: 'application/octet-stream', onProgress: setShare });
    },
    done: t.evidenceAdded(chosen?.file.name ?? ''),
    onDone: () => end(),
    isContested: true,
  });
  // It is recorded then, and the same request brings it.
  const [sent] = add.inDoubt;
  const end = () => {
    setOpen(false);
    void choose(null);
    setMissing(false);
    setStated(NOTHING);
  };
  if (!useMay('operator')) return null;
  const send = async () => {
    if (sent) return add.mutate(sent);
    if (chosen?.sha256 === undefined) return setMissing(chosen === undefined);
    // A file that was changed or moved since it was hashed could never be sent, and its failure would leave everything in doubt.
    if (!(await requireReadable(chosen.file))) return;
    const { type, url, captured } = stated;
    const captured_at = new Date(captured).toISOString();
    add.mutate({ file: chosen.file, file_name: chosen.file.name, sha256: chosen.sha256, type, url: url.trim(), captured_at });
  };
  return (
    <>
      {!verified && (
        <Button variant="default" leftSection={<Icon name="upload" size={16} />} onClick={() => setOpen(true)}>
          {t.addEvidence}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={sent ? () => setOpen(false) : end}
        title={t.addEvidence}
        consequence={verified ? changedMeanwhile : t.evidenceConsequence}
        label={t.addEvidence}
        change={{ ...add, isPending: add.isPending || isHashing }}
        isDone={verified !== undefined}
        inDoubt={sent !== undefined && t.evidenceInDoubt}
        isTyped={sent !== undefined}
        fields={['file', 'type', 'url', 'captured_at']}
        onConfirm={() => void send()}
      >
        {verified ? (
          <FasterChange change={verified} />
        ) : (
          <Stack gap="md">
            <FileField
              {...{ batchId, chosen, isMissing }}
              change={add}
              onChange={(file) => {
                add.reset();
                setMissing(false);
                void choose(file);
              }}
            />
            <HashOf chosen={chosen} share={add.isPending ? share : undefined} />
            <EvidenceFields stated={stated} error={add.error} isLocked={add.isLocked} onChange={setStated} />
          </Stack>
        )}
      </ConfirmDialog>
    </>
  );
}

/** The file that is chosen, with its hash once it is computed. */
function useHashedFile() {
  const [chosen, setChosen] = useState<Chosen>();
  const choose = async (file: File | null) => {
    if (!file) return setChosen(undefined);
    if (file.size > BYTES_MAX) return setChosen({ file, refusal: 'fileTooLarge' });
    setChosen({ file });
    const hashed = await hashOf(file).then(
      (sha256) => ({ file, sha256 }),
      () => ({ file, refusal: 'unreadable' as const }),
    );
    setChosen((now) => (now?.file === file ? hashed : now));
  };
  /** Whether it can be read; else the field says so. */
  const requireReadable = async (file: File): Promise<boolean> => {
    const isRead = await isReadable(file);
    if (!isRead) setChosen({ file, refusal: 'unreadable' });
    return isRead;
  };
  return { chosen, choose, requireReadable, isHashing: chosen !== undefined && chosen.sha256 === undefined && !chosen.refusal };
}

interface FileFieldProps {
  readonly batchId: string;
  readonly chosen: Chosen | undefined;
  readonly isMissing: boolean;
  readonly change: { readonly error: Error | null; readonly isLocked: boolean };
  readonly onChange: (file: File | null) => void;
}

/** A file that is larger than the service takes is recorded by a command. */
function FileField({ batchId, chosen, isMissing, change: { error, isLocked }, onChange }: FileFieldProps) {
  const t = useTexts(IMPACT);
  const { isRequired } = useTexts(COMMON);
  return (
    <>
      <FileInput
        label={t.file}
        description={t.fileHelp}
        placeholder={t.chooseFile}
        required
        disabled={isLocked}
        value={chosen?.file ?? null}
        error={(isMissing && isRequired) || (chosen?.refusal ? t[chosen.refusal] : problemOf(error, 'file'))}
        onChange={onChange}
      />
      {chosen?.refusal === 'fileTooLarge' && (
        <Code dir="ltr">
          {`npx partner-impact impact-batch add-evidence --batch ${batchId} --file FILE --type TYPE --url URL --captured-at TIME`}
        </Code>
      )}
    </>
  );
}

interface HashOfProps {
  readonly chosen: Chosen | undefined;
  /** How much of the file is sent, from 0 to 1, while it is. */
  readonly share: number | undefined;
}

function HashOf({ chosen, share }: HashOfProps) {
  const t = useTexts(IMPACT);
  if (!chosen || chosen.refusal) return null;
  const isSending = share !== undefined;
  const isBusy = isSending || chosen.sha256 === undefined;
  return (
    <Alert color="gray" role="status">
      {isBusy && (
        <Group gap="xs">
          <Loader size="xs" />
          <Text size="sm">{isSending ? t.sending : t.hashing}</Text>
        </Group>
      )}
      {isSending && <Progress value={share * 100} aria-label={t.sending} my="xs" />}
      {chosen.sha256 !== undefined && (
        <Group gap="xs">
          <Text size="sm">{t.hash}</Text>
          <Id id={chosen.sha256} isShort />
        </Group>
      )}
    </Alert>
  );
}

interface EvidenceFieldsProps {
  readonly stated: Stated;
  readonly error: Error | null;
  readonly isLocked: boolean;
  readonly onChange: (stated: Stated) => void;
}

function EvidenceFields({ stated, error, isLocked: disabled, onChange }: EvidenceFieldsProps) {
  const t = useTexts(IMPACT);
  return (
    <>
      <Autocomplete
        label={t.type}
        description={t.typeHelp}
        required
        dir="ltr"
        data={TYPES}
        maxLength={40}
        disabled={disabled}
        value={stated.type}
        error={problemOf(error, 'type')}
        onChange={(type) => onChange({ ...stated, type })}
      />
      <TextInput
        label={t.address}
        description={t.addressHelp}
        type="url"
        required
        dir="ltr"
        maxLength={2_000}
        disabled={disabled}
        placeholder="https://"
        value={stated.url}
        error={problemOf(error, 'url')}
        onChange={(event) => onChange({ ...stated, url: event.currentTarget.value })}
      />
      <MomentField
        label={t.captured}
        required
        disabled={disabled}
        value={stated.captured}
        error={problemOf(error, 'captured_at')}
        onChange={(captured) => onChange({ ...stated, captured })}
      />
    </>
  );
}

async function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

async function hashOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
