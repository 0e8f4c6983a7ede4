import { TextInput, type TextInputProps } from '@mantine/core';
import { inDigits } from '../format/as-meant.ts';
import { useTexts } from '../texts/language.tsx';
import { SESSION } from './session-texts.ts';

interface TotpFieldProps extends Pick<TextInputProps, 'error' | 'autoFocus'> {
  /** Whether it has the focus as the dialog opens. */
  readonly isFirst?: boolean;
  readonly value: string;
  readonly onChange: (code: string) => void;
}

/** The code of the second factor. */
export function TotpField({ isFirst = false, value, onChange, ...field }: TotpFieldProps) {
  const t = useTexts(SESSION);
  return (
    <TextInput
      label={t.totp}
      description={t.totpHelp}
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={6}
      required
      dir="ltr"
      {...field}
      {...(isFirst && { 'data-autofocus': true })}
      value={value}
      onChange={(event) => onChange(inDigits(event.currentTarget.value))}
    />
  );
}
