import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { type Change, useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useTexts } from '../../texts/language.tsx';
import { asRecorded, countRecorded, REPLY_CHARACTERS_MAX } from './reply-text.ts';
import { SETTLEMENT } from './settlement-texts.ts';

export type Reply = Change<string, unknown>;

/** The change that keeps an answer with the settlement: beside the text, which stays as it was sent while that may have been recorded. */
export function useReply({ partner_id, settlement_id }: components['schemas']['Settlement']): Reply {
  const t = useTexts(SETTLEMENT);
  return useChange({
    send: (words: string, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/replies', {
          params: { path: { partner_id, settlement_id }, header: { 'Idempotency-Key': key } },
          body: { text: words },
        }),
      ),
    done: t.replyRecorded,
  });
}

interface RecordReplyProps {
  readonly reply: Reply;
  /** The words as they were sent. */
  readonly text: string;
  readonly onOpen: () => void;
  readonly onRecorded: () => void;
}

/** Keeps with the settlement what the person told the partner. */
export function RecordReply({ reply, text, onOpen, onRecorded }: RecordReplyProps) {
  const t = useTexts(SETTLEMENT);
  const [isOpen, setOpen] = useState(false);
  // It is recorded then, and the same request brings it.
  const [sent] = reply.inDoubt;
  const recorded = sent ?? asRecorded(text);
  const record = () =>
    reply.mutate(recorded, {
      onSuccess() {
        setOpen(false);
        onRecorded();
      },
    });
  return (
    <>
      <Button
        variant="default"
        disabled={recorded === '' || countRecorded(text) > REPLY_CHARACTERS_MAX}
        onClick={() => {
          onOpen();
          setOpen(true);
        }}
      >
        {t.recordReply}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.recordReply}
        consequence={t.recordConsequence}
        label={t.recordReply}
        color="forest"
        change={reply}
        inDoubt={sent !== undefined && t.replyInDoubt}
        onConfirm={record}
      >
        <Text className="foreign" dir="auto" style={{ whiteSpace: 'pre-line' }}>
          {recorded}
        </Text>
      </ConfirmDialog>
    </>
  );
}
