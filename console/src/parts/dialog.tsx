import { Modal, type ModalProps } from '@mantine/core';
import { useContext } from 'react';
import { SteppingUp } from '../session/stepping-up.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';

/** A dialog whose cross has a name. `Escape` closes the one on top alone. */
export function Dialog(props: ModalProps) {
  const { close } = useTexts(COMMON);
  const isBelow = useContext(SteppingUp);
  return <Modal closeButtonProps={{ 'aria-label': close }} closeOnEscape={!isBelow} {...props} />;
}
