import { Breaking } from './codes/breaking.tsx';
import { hint } from './hint.tsx';

interface CodedProps {
  readonly code: string;
  /** The words for each code that there is. */
  readonly words: Readonly<Record<string, string>>;
}

/** A code of the service in words, with the code itself on hover; one without words, such as that of a later release, as it is. */
export function Coded({ code, words }: CodedProps) {
  if (!Object.hasOwn(words, code)) return <span className="id">{code}</span>;
  return <span {...hint(code)}>{words[code]}</span>;
}

/** The same where people look for the code too, such as for a filter or a command: it stands below, and a line of it ends after a dot. */
export function CodedInFull({ code, words }: CodedProps) {
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
