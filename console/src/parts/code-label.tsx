import { Breaking } from './codes/breaking.tsx';
import { hint } from './hint.tsx';

interface CodeLabelProps {
  readonly code: string;
  /** The words for each code that there is. */
  readonly words: Readonly<Record<string, string>>;
}

/** The words for a code of the service, with the code itself on hover. A code without words, such as one of a later release, is shown as it is. */
export function CodeLabel({ code, words }: CodeLabelProps) {
  if (!Object.hasOwn(words, code)) return <span className="id">{code}</span>;
  return <span {...hint(code)}>{words[code]}</span>;
}

/** The words for a code with the code below them, for people who need it for a filter or a command. It breaks after dots. */
export function CodeLabelInFull({ code, words }: CodeLabelProps) {
  const shown = (
    <span className="id">
      <Breaking text={code} at={/(?<=[.])/} />
    </span>
  );
  if (!Object.hasOwn(words, code)) return shown;
  return (
    <span className="coded">
      {words[code]}
      {shown}
    </span>
  );
}
