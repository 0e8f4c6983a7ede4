/** Why a change was refused: beside the form that asked for it. In Arabic the service's own sentence follows, with the values. */
import { Alert, Code, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import {
  ApiError,
  mayBeMade,
  NoAnswerError,
  NotReadError,
  type Problem as Refused,
  SessionNotReadError,
  StepUpCancelled,
} from '../api/api-error.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { FIELD_REFUSAL, NAMED_REFUSAL, READ_REFUSAL, REFUSAL, UNREADABLE } from '../texts/refusals-in-arabic.ts';
import { FourEyes, isFourEyes } from './four-eyes.tsx';
import { Icon } from './icon.tsx';

interface ProblemProps {
  readonly error: Error | null;
  /** The fields that show their own problem, so that it is not shown twice. */
  readonly fields?: readonly string[];
  /** In Arabic by `error.code`, where a form says more than the code: then it says all. */
  readonly inArabic?: Readonly<Record<string, string>>;
  /** Whether nothing was to be changed. */
  readonly isOfReading?: boolean;
  /** That the change may have been made, and what brings its answer: said in place of the lost answer, and before a refusal since then. */
  readonly inDoubt?: ReactNode;
}

export function Problem({ error, fields = [], inArabic = {}, isOfReading = false, inDoubt = false }: ProblemProps) {
  const t = useTexts(COMMON);
  if (inDoubt)
    return (
      <Alert color="red" icon={<Icon name="alert" />} role="alert">
        {inDoubt}
        {error instanceof ApiError && !mayBeMade(error) && (
          <Text size="sm" mt={4} className="foreign" component="div">
            <Refusal error={error} ofForm={inArabic} />
          </Text>
        )}
      </Alert>
    );
  if (!error || error instanceof StepUpCancelled) return null;
  if (error instanceof NotReadError) return <NotSent error={error} />;
  const problems = error instanceof ApiError ? error.problems : [];
  if (isFourEyes(problems))
    return (
      <Alert color="red" icon={<Icon name="alert" />} role="alert">
        <FourEyes problems={problems} />
      </Alert>
    );
  const others = problems.filter(({ field, message }) => !fields.includes(field) && message !== error.message);
  const isBesideFields = problems.some(({ field }) => fields.includes(field));
  const fieldFocus = isBesideFields && !isOfReading && <FocusRefused error={error} />;
  if (isBesideFields && others.length === 0) return fieldFocus;
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert">
      {fieldFocus}
      {!isBesideFields && (
        <Text size="sm" className="foreign" component="div">
          {error instanceof NoAnswerError ? (
            t[isOfReading ? 'noAnswer' : 'noAnswerToChange']
          ) : (
            <Refusal error={error} ofForm={inArabic} isOfReading={isOfReading} />
          )}
        </Text>
      )}
      {others.map((problem) => (
        <Text size="sm" key={problem.field + problem.message} className="foreign" component="div">
          <Code>{problem.field}</Code> <FieldRefusal problem={problem} />
        </Text>
      ))}
      <CorrelationId error={error} />
    </Alert>
  );
}

/** A change before which the console could not look whether somebody else was faster, or which session there is. */
function NotSent({ error }: { readonly error: NotReadError }) {
  const t = useTexts(COMMON);
  const { cause } = error;
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert">
      <Text size="sm">{error instanceof SessionNotReadError ? t.sessionNotRead : t.notReadFirst}</Text>
      {cause instanceof NoAnswerError && (
        <Text size="sm" mt={4}>
          {t.noAnswer}
        </Text>
      )}
      {cause instanceof ApiError && (
        <Text size="sm" mt={4} className="foreign" component="div">
          <Refusal error={cause} isOfReading />
        </Text>
      )}
      <CorrelationId error={cause} />
    </Alert>
  );
}

/** By which the log of the service finds what it could not do. */
function CorrelationId({ error }: { readonly error: unknown }) {
  const t = useTexts(COMMON);
  if (!(error instanceof ApiError) || !error.correlationId || error.status < 500) return null;
  return (
    <Text size="xs" mt={4}>
      {t.correlationId} <Code>{error.correlationId}</Code>
    </Text>
  );
}

/** Leads to the first field of the form that was refused: what is said beside a field is announced with it. */
function FocusRefused({ error }: { readonly error: Error }) {
  const place = useRef<HTMLSpanElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal.
  useEffect(() => {
    place.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  return <span ref={place} hidden />;
}

/** What the service says of one field of a form. @param label The field's name on the page, in place of that of the interface. */
export function problemOf(error: Error | null, field: string, label = field): ReactNode {
  const problem = error instanceof ApiError ? error.problems.find((each) => each.field === field) : undefined;
  return problem && <FieldRefusal problem={problem} label={label} />;
}

interface RefusalProps {
  readonly error: Error;
  /** Whether nothing was to be changed. */
  readonly isOfReading?: boolean;
  readonly ofForm?: Readonly<Record<string, string>>;
}

/** What the service says of a refused request as a whole. */
export function Refusal({ error, isOfReading = false, ofForm = {} }: RefusalProps) {
  if (!(error instanceof ApiError)) return error.message;
  // The request as a whole is refused for the one thing that is wrong with it.
  const [problem] = error.problems.filter(({ message }) => message === error.message);
  const ofCode = (isOfReading ? READ_REFUSAL[error.code] : undefined) ?? REFUSAL[error.code] ?? UNREADABLE[error.code];
  const said = problem ? undefined : ofForm[error.code];
  return <Said inArabic={said ?? (problem && inArabic(problem)) ?? ofCode} message={error.message} isSaid={said !== undefined} />;
}

interface FieldRefusalProps {
  readonly problem: Refused;
  readonly label?: string;
}

export function FieldRefusal({ problem, label = problem.field }: FieldRefusalProps) {
  const { language } = useLanguage();
  const { field, code, message } = problem;
  const named = language === 'en' ? message.replace(field, label) : message;
  return <Said inArabic={inArabic(problem)} message={named} isSaid={code === 'missing' && message === `${field} is missing.`} />;
}

function inArabic({ field, code }: Refused): string | undefined {
  return NAMED_REFUSAL[`${field} ${code}`] ?? FIELD_REFUSAL[code];
}

interface SaidProps {
  readonly inArabic: string | undefined;
  /** The service's sentence, in English. */
  readonly message: string;
  /** Whether the Arabic sentence says all of it. */
  readonly isSaid?: boolean;
}

function Said({ inArabic, message, isSaid = false }: SaidProps) {
  const { language } = useLanguage();
  if (language === 'en' || inArabic === undefined) return message;
  if (isSaid) return inArabic;
  return (
    <>
      {inArabic}
      <bdi className="said" lang="en" dir="ltr">
        {message}
      </bdi>
    </>
  );
}
