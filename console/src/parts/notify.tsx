/**
 * Messages that say what a change did. A message of success disappears by itself, or with the next message. A message of failure stays
 * until a person closes it, until the same change succeeds, or until another change fails.
 */
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

// The ids of the messages that are shown: one of each at most, so that they cover little.
let done = '';
let failure = { id: '', changeId: '' };

interface NotifyTerms {
  /** All attempts of one change have the same id; absent for a message that only reports success. */
  readonly changeId?: string;
  readonly isFailure?: boolean;
}

/** Hides the message of success: after a change of the language it would be in the old one. */
export function hideDone(): void {
  notifications.hide(done);
}

/** Hides the message of a failure of this change: it has succeeded. */
export function hideFailure(changeId: string): void {
  if (failure.changeId === changeId) notifications.hide(failure.id);
}

export function notify(message: ReactNode, { changeId = '', isFailure = false }: NotifyTerms = {}): void {
  hideDone();
  if (isFailure || failure.changeId === changeId) notifications.hide(failure.id);
  const id = notifications.show({
    // It keeps its direction where the language changes.
    message: <bdi>{message}</bdi>,
    ...(isFailure
      ? { color: 'red', icon: <Icon name="alert" size={15} />, autoClose: false }
      : { color: 'forest', icon: <Icon name="check" size={15} /> }),
  });
  if (isFailure) failure = { id, changeId };
  else done = id;
}
