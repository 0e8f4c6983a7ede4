import { Button, Menu } from '@mantine/core';
import { useRef } from 'react';

export interface MenuItem {
  readonly label: string;
  /** Opens a dialog. */
  readonly onSelect: () => void;
  readonly color?: 'red' | 'forest';
}

interface DialogMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
}

/** A menu whose items open dialogs. Its button has the focus as a dialog opens, so that a closed dialog gives the focus back to it. */
export function DialogMenu({ label, items }: DialogMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button ref={button} variant="default">
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label: name, color, onSelect }) => (
          <Menu.Item
            key={name}
            {...(color && { color })}
            onClick={() => {
              button.current?.focus();
              onSelect();
            }}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
