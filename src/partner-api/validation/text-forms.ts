import { isLine, isText, lineForm, textForm } from '../../domain/single-line-text.ts';

interface Form {
  accepts(text: string, charactersMax: number): boolean;
  /** The required form, with the problem of this text. */
  describe(text: string, charactersMax: number): string;
}

/** The values of the keyword `x-text`. */
export const FORMS = {
  line: { accepts: isLine, describe: lineForm },
  text: { accepts: isText, describe: textForm },
} as const satisfies Record<string, Form>;

export type TextForm = keyof typeof FORMS;
