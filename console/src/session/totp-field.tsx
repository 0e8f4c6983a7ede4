import { TextInput } from '@mantine/core';
import { inDigits } from '../format/as-meant.ts';
import { useTexts } from '../texts/language.tsx';
import { SESSION } from './session-texts.ts';

interface TotpFieldProps {
  readonly value: string;
  readonly onChange: (code: string) => void;
}

/** The code of the second factor, which the service has asked for. */
export function TotpField({ value, onChange }: TotpFieldProps) {
  const t = useTexts(SESSION);
  return (
    <TextInput
      label={t.totp}
      description={t.totpHelp}
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={6}
      required
      autoFocus
      dir="ltr"
      value={value}
      onChange={(event) => onChange(inDigits(event.currentTarget.value))}
    />
  );
}
