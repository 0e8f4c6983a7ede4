/** A message that says what a change did: what was done goes by itself, and what was not stays until it is closed. */
import { notifications } from '@mantine/notifications';
import { Icon } from './icon.tsx';

export function tell(message: string, { isFailure = false } = {}): void {
  // The latest alone, so that they cover as little as one does.
  notifications.clean();
  notifications.show({
    message,
    ...(isFailure
      ? { color: 'red', icon: <Icon name="alert" size={15} />, autoClose: false }
      : { color: 'forest', icon: <Icon name="check" size={15} /> }),
  });
}
