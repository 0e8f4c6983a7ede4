import { Button, type ButtonProps } from '@mantine/core';

interface RowButtonProps extends Pick<ButtonProps, 'disabled' | 'loading'> {
  readonly label: string;
  /** Where the label is the same in every row: what it is about, for those who do not see the row. */
  readonly about?: string;
  /** It refuses, removes or ends something. */
  readonly isRefusal?: boolean;
  readonly onClick: () => void;
}

/** What can be done with one record among others: the same look on every page. */
export function RowButton({ label, about, isRefusal = false, ...button }: RowButtonProps) {
  return (
    <Button
      variant="default"
      size="xs"
      {...(isRefusal && { c: 'var(--mantine-color-error)' })}
      {...(about !== undefined && { 'aria-label': `${label}: ${about}` })}
      {...button}
    >
      {label}
    </Button>
  );
}
