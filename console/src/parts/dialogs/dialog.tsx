import { Modal, type ModalProps } from '@mantine/core';
import { useContext, useLayoutEffect, useState } from 'react';
import { canHaveFocus, focusNear } from '../../app/kept-focus.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Below } from './below.ts';

interface DialogProps extends ModalProps {
  /** Whether its change is under way: the dialog stays, so that nobody takes it for cancelled, and its page is not left unasked. */
  readonly isBusy?: boolean;
  /** Whether it shows what is lost with it: only its buttons close it. */
  readonly isKept?: boolean;
}

/**
 * A dialog whose cross has a name. `Escape` closes the one on top alone; closed, the focus is where it was before, or near it. A click
 * beside it loses nothing that was typed, nor a secret that was made of it.
 */
export function Dialog({ isBusy = false, isKept = false, ...props }: DialogProps) {
  const { close } = useTexts(COMMON);
  const isBelow = useContext(Below);
  useFocusBack(props.opened);
  useUnsaved(props.opened && isBusy, 'underWay');
  const [isTypedInto, setTypedInto] = useState(false);
  if (isTypedInto && !props.opened) setTypedInto(false);
  return (
    <Modal
      closeButtonProps={{ 'aria-label': close, disabled: isBusy }}
      closeOnEscape={!isBelow && !isBusy && !isKept}
      closeOnClickOutside={!isBusy && !isTypedInto && !isKept}
      onInput={() => setTypedInto(true)}
      returnFocus={false}
      {...props}
    />
  );
}

/** The modal's own return knows nothing of a dialog that is opened as it is mounted, or unmounted as it is closed. */
function useFocusBack(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    return () => {
      const atClose = document.activeElement;
      setTimeout(() => {
        const now = document.activeElement;
        const isLost = now === null || now === document.body || now === atClose;
        if (!isLost || !(before instanceof HTMLElement)) return;
        if (canHaveFocus(before)) before.focus({ preventScroll: true });
        else focusNear();
      }, FOCUS_MS);
    };
  }, [isOpen]);
}

/** After this time the element to which the close led has the focus. */
const FOCUS_MS = 10;
