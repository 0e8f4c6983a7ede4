/**
 * A message that says what a change did. What was done goes by itself, or with the next message. What was not stays until it is closed, until
 * the same is done, or until something else is not.
 */
import { notifications } from '@mantine/notifications';
import { Icon } from './icon.tsx';

// The ids of the messages that are shown: one of each at most, so that they cover little.
let done = '';
let failure = { id: '', changeId: '' };

interface TellTerms {
  /** The same for each attempt of a change; absent where none tells a failure. */
  readonly changeId?: string;
  readonly isFailure?: boolean;
}

/** In another language what was done is told no longer. */
export function hideDone(): void {
  notifications.hide(done);
}

export function tell(message: string, { changeId = '', isFailure = false }: TellTerms = {}): void {
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
