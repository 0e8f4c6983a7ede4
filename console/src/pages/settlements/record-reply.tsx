import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { useTexts } from '../../texts/language.tsx';
import { asRecorded, countRecorded, REPLY_CHARACTERS_MAX } from './reply-text.ts';
import { SETTLEMENT } from './settlement-texts.ts';

interface RecordReplyProps {
  readonly settlement: components['schemas']['Settlement'];
  /** The words as they were sent. */
  readonly text: string;
  readonly onOpen: () => void;
  readonly onRecorded: () => void;
}

/** Keeps with the settlement what the person told the partner. */
export function RecordReply({ settlement: { partner_id, settlement_id }, text, onOpen, onRecorded }: RecordReplyProps) {
  const t = useTexts(SETTLEMENT);
  const [isOpen, setOpen] = useState(false);
  const change = useChange({
    send: (words: string, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/replies', {
          params: { path: { partner_id, settlement_id }, header: { 'Idempotency-Key': key } },
          body: { text: words },
        }),
      ),
    done: t.replyRecorded,
    onDone() {
      setOpen(false);
      onRecorded();
    },
  });
  const recorded = asRecorded(text);
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
        change={change}
        onConfirm={() => change.mutate(recorded)}
      >
        <Text className="foreign" dir="auto" style={{ whiteSpace: 'pre-line' }}>
          {recorded}
        </Text>
      </ConfirmDialog>
    </>
  );
}
