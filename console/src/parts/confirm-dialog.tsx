/** The one dialog before what is final: what will happen, why, and a button that says what it does. */
import { Alert, Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { Problem } from './problem.tsx';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will be true afterwards, in full: how many, how much, for whom, and that it stays so. */
  readonly consequence: ReactNode;
  readonly label: string;
  readonly color?: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** It was done, and the dialog stays to show what came of it. */
  readonly isDone?: boolean;
  /** Absent where no reason is kept. */
  readonly asksReason?: boolean;
  readonly onConfirm: (reason: string) => void;
  readonly children?: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, consequence, label, color = 'forest', error, isPending, asksReason = false, onConfirm } = props;
  const { isDone = false } = props;
  const t = useTexts(COMMON);
  const [reason, setReason] = useState('');
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm(reason.trim());
        }}
      >
        <Stack gap="md">
          <Alert color={color === 'red' ? 'red' : 'gray'}>{consequence}</Alert>
          {props.children}
          {asksReason && (
            <Textarea
              label={t.reason}
              description={t.reasonHelp}
              required
              data-autofocus
              autosize
              minRows={2}
              maxLength={500}
              dir="auto"
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
            />
          )}
          <Problem error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {isDone ? t.close : t.cancel}
            </Button>
            {!isDone && (
              <Button type="submit" color={color} loading={isPending} disabled={asksReason && reason.trim() === ''}>
                {label}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
