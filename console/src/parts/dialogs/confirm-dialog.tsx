/** The one dialog before what is final: what will happen, why, and a button that says what it does. */
import { Alert, Button, Group, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { mayBeMade } from '../../api/api-error.ts';
import { useHeld, useUnsaved } from '../../app/unsaved.ts';
import { withoutHidden } from '../../format/as-meant.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Problem } from '../problem.tsx';
import { Dialog } from './dialog.tsx';

/** The state of the change that the dialog is for: that of `useChange`. */
interface Change {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly reset: () => void;
}

interface FormProps {
  /** What will be true afterwards, in full: how many, how much, for whom, and that it stays so. */
  readonly consequence: ReactNode;
  readonly label: string;
  readonly color?: string;
  readonly change: Change;
  /** The fields among `children` that show what the service says of them. */
  readonly fields?: readonly string[];
  /** Whether the fields among `children` keep what was typed before the dialog was closed. */
  readonly isTyped?: boolean;
  /** It was done, and the dialog stays to show what came of it. */
  readonly isDone?: boolean;
  /** Whether it is done again from there, with the same reason: for what it left as it was. */
  readonly isRepeated?: boolean;
  /** Said in place of an error, once the change is not under way: see `Problem`. */
  readonly inDoubt?: string | false;
  /** Absent where no reason is kept. */
  readonly asksReason?: boolean;
  /** The reason that was sent, where another would be another change: it stays also in a dialog that is opened again. */
  readonly sentReason?: string | undefined;
  readonly onConfirm: (reason: string) => void;
  readonly children?: ReactNode;
}

interface ConfirmDialogProps extends FormProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
}

/** Opened again, it has neither the reason nor the error of the time before; what the caller keeps is not lost unasked then either. */
export function ConfirmDialog({ isOpen, onClose, title, ...form }: ConfirmDialogProps) {
  const close = () => {
    form.change.reset();
    onClose();
  };
  const isKept = useHeld() === 'secret' && form.isDone === true;
  return (
    <Dialog isKept={isKept} opened={isOpen} onClose={close} title={title} size="lg" isBusy={form.change.isPending}>
      <DialogForm {...form} isOpen={isOpen} onCancel={close} />
    </Dialog>
  );
}

function DialogForm(props: FormProps & Pick<ConfirmDialogProps, 'isOpen'> & { readonly onCancel: () => void }) {
  const {
    consequence,
    label,
    color = 'forest',
    change,
    isTyped = false,
    isDone = false,
    isRepeated = false,
    asksReason = false,
    sentReason,
    onConfirm,
    onCancel,
    fields = [],
    inDoubt = false,
  } = props;
  const t = useTexts(COMMON);
  const [typed, setReason] = useState('');
  const reason = sentReason ?? typed;
  const [isTypedInto, setTypedInto] = useState(false);
  useUnsaved(props.isOpen && (isTyped || isTypedInto) && !isDone);
  const isOffered = !isDone || isRepeated;
  // Opened again it asks for a reason anew: what is done once at most is not done twice with other words.
  const isLocked = change.isPending || sentReason !== undefined || mayBeMade(change.error);
  const form = useFirstEmptyField();
  return (
    <form
      ref={form}
      onInput={() => setTypedInto(true)}
      onSubmit={(event) => {
        event.preventDefault();
        // While it closes, its button is still there.
        if (!props.isOpen) return;
        onConfirm(reason.trim());
      }}
    >
      <Stack gap="md">
        <Alert color={color === 'red' ? 'red' : 'gray'}>{consequence}</Alert>
        {props.children}
        {asksReason && !isDone && (
          <Textarea
            label={t.reason}
            description={t.reasonHelp}
            required
            autosize
            minRows={2}
            maxLength={500}
            dir="auto"
            disabled={isLocked}
            value={reason}
            onChange={(event) => setReason(withoutHidden(event.currentTarget.value).replaceAll('\n', ' '))}
          />
        )}
        <Stack gap="sm" className="dialog-end">
          {isOffered && <Problem error={change.error} fields={fields} inDoubt={!change.isPending && inDoubt} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onCancel} disabled={change.isPending}>
              {isDone ? t.close : t.cancel}
            </Button>
            {isOffered && (
              <Button type="submit" color={color} loading={change.isPending} disabled={asksReason && reason.trim() === ''}>
                {label}
              </Button>
            )}
          </Group>
        </Stack>
      </Stack>
    </form>
  );
}

const NOT_TYPED = ['hidden', 'file', 'checkbox', 'radio'];

/** The first field of the form in which nothing is typed has the focus as the dialog opens. */
function useFirstEmptyField() {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const fields = form.current?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea') ?? [];
    const empty = [...fields].find(({ type, value, disabled }) => !NOT_TYPED.includes(type) && value === '' && !disabled);
    // The modal looks for it after it is drawn.
    empty?.setAttribute('data-autofocus', 'true');
  }, []);
  return form;
}
