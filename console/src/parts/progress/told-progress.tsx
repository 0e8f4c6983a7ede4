import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useLanguage } from '../../texts/language.tsx';

interface ToldProgressProps {
  readonly text: string;
  readonly step: number | string;
}

/** Tells a screen reader how far something has come: the text as it is when the step changes, because it reads each change of a status. */
export function ToldProgress({ text, step }: ToldProgressProps) {
  const { language } = useLanguage();
  const of = `${language} ${step}`;
  const [told, setTold] = useState({ of, text });
  if (told.of !== of) setTold({ of, text });
  return <VisuallyHidden role="status">{told.of === of ? told.text : text}</VisuallyHidden>;
}

/** @returns How many quarters are done: 0 to 4, also where more is done than was counted. */
export function quartersOf(done: number, all: number): number {
  return all > 0 ? Math.min(Math.floor((done * 4) / all), 4) : 0;
}
