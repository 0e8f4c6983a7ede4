/** Takes one file: dropped, or chosen by a click or the keyboard. */
import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { Icon } from '../icon.tsx';

interface DropZoneProps {
  readonly label: string;
  readonly help: string;
  /** File endings and media types, as a browser's chooser of files takes them. */
  readonly accept: string;
  readonly isDisabled?: boolean;
  readonly onFile: (file: File) => void;
}

export function DropZone({ label, help, accept, isDisabled = false, onFile }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const take = (file: File | null | undefined) => {
    if (file && !isDisabled) onFile(file);
  };
  const drag = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(over && !isDisabled);
  };
  return (
    <label
      className="drop-zone"
      data-over={isOver || undefined}
      data-disabled={isDisabled || undefined}
      onDragEnter={drag(true)}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        take(event.dataTransfer.files.item(0));
      }}
    >
      <VisuallyHidden>
        <input
          type="file"
          accept={accept}
          disabled={isDisabled}
          onChange={(event) => {
            take(event.currentTarget.files?.item(0));
            // The same file may be chosen again after it was mended.
            event.currentTarget.value = '';
          }}
        />
      </VisuallyHidden>
      <Stack align="center" gap={6}>
        <Icon name="upload" size={28} />
        <Text fw={600} ta="center">
          {label}
        </Text>
        <Text size="sm" c="dimmed" ta="center" maw={520}>
          {help}
        </Text>
      </Stack>
    </label>
  );
}
