import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useState } from 'react';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';

/** A field of a password or a key. Its button, which the keyboard reaches too, says what a click does next: show or hide what is typed. */
export function SecretField(props: PasswordInputProps) {
  const { showTyped, hideTyped } = useTexts(COMMON);
  const [isVisible, setVisible] = useState(false);
  return (
    <PasswordInput
      {...props}
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      // The label tells the state: a pressed «Hide» would say the contrary of it.
      visibilityToggleButtonProps={{ 'aria-label': isVisible ? hideTyped : showTyped, 'aria-pressed': undefined }}
    />
  );
}
