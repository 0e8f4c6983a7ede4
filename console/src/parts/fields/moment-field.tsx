import { Box, Group, Input } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { inDigits } from '../../format/as-meant.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { cityOf, ownZone } from '../../format/time.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';

interface MomentFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** In the reader's own zone, such as `2026-03-02T14:05`; empty for none. */
  readonly value: string;
  readonly error?: ReactNode;
  readonly onChange: (value: string) => void;
}

/** A day and a time of 24 hours. The browser's own field for both has the clock of its language, of 12 hours where that is usual. */
export function MomentField({
  label,
  description,
  required = false,
  disabled = false,
  value,
  error,
  onChange,
}: MomentFieldProps) {
  const { day: dayLabel, clock: clockLabel, clockForm, ownZone: inOwnZone } = useTexts(COMMON);
  const { language } = useLanguage();
  const zone = `${inOwnZone(isolateForeign(cityOf(ownZone(), language)))}.`;
  const [day = '', clock = ''] = value.split('T');
  const id = useId();
  const [descriptionId, errorId] = [`${id}-description`, `${id}-error`];
  const isRefused = Boolean(error);
  const ofBoth = {
    withAria: false,
    disabled,
    error: isRefused,
    'aria-invalid': isRefused || undefined,
    'aria-describedby': isRefused ? `${descriptionId} ${errorId}` : descriptionId,
  } as const;
  const change = (newDay: string, newClock: string) => onChange(newDay === '' && newClock === '' ? '' : `${newDay}T${newClock}`);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description === undefined ? zone : `${zone} ${description}`}
      required={required}
      descriptionProps={{ id: descriptionId }}
      error={error}
      errorProps={{ id: errorId }}
    >
      {/* An `Input` that takes none of the attributes of the wrapper does not get `disabled` either. */}
      <Box component="fieldset" disabled={disabled} bd={0} p={0} m={0} miw={0}>
        <Group gap="xs" wrap="nowrap" mb={5}>
          <Input
            {...ofBoth}
            type="date"
            max="9999-12-31"
            dir="ltr"
            aria-label={`${label}: ${dayLabel}`}
            required={required || clock !== ''}
            value={day}
            onChange={(event) => change(event.currentTarget.value, clock === '' ? '00:00' : clock)}
            flex={1}
          />
          <Input
            {...ofBoth}
            aria-label={`${label}: ${clockLabel}`}
            placeholder={clockForm}
            dir="ltr"
            pattern="([01][0-9]|2[0-3]):[0-5][0-9]"
            title={clockLabel}
            maxLength={5}
            required={required || day !== ''}
            value={clock}
            onChange={(event) => change(day, inDigits(event.currentTarget.value))}
            w={84}
          />
        </Group>
      </Box>
    </Input.Wrapper>
  );
}
