/** Why a step for two people is refused: with names, the time as everywhere else, and what was tried. */
import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Problem } from '../api/api-error.ts';
import { answerOf, client } from '../api/client.ts';
import { isolateForeign } from '../format/isolate.ts';
import { formatTime, ownZone } from '../format/time.ts';
import { useSession } from '../session/session.tsx';
import { BEGUN, FOUR_EYES, WANTED } from '../texts/four-eyes-texts.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { useNameOf } from './person.tsx';

const MINUTE_MS = 60_000;

export function isFourEyes(problems: readonly Problem[]): boolean {
  return problems.some(({ field }) => field === 'four_eyes');
}

/** The details of the service carry their values in `code`. */
export function FourEyes({ problems }: { readonly problems: readonly Problem[] }) {
  const codeOf = codesOf(problems);
  const sentence = useSentence(codeOf);
  if (codeOf('four_eyes') !== 'no_address')
    return (
      <>
        <Text size="sm">{sentence}</Text>
        <SecondAccount />
      </>
    );
  return (
    <>
      <Text size="sm">{sentence}</Text>
      <Code dir="ltr">{`npx partner-impact operator set-email --operator ${codeOf('operator')} --email ADDRESS`}</Code>
    </>
  );
}

/** Says in a sentence why the person cannot take the step, before it is tried. */
export function WhyNotSecond({ problems }: { readonly problems: readonly Problem[] }) {
  const sentence = useSentence(codesOf(problems));
  return (
    <Text size="sm" c="dimmed">
      {sentence}
    </Text>
  );
}

/** Says in a row of a list until when the person cannot take the step, and why once it is opened. */
export function WhyNotSecondInRow({ problems }: { readonly problems: readonly Problem[] }) {
  const t = useTexts(FOUR_EYES);
  const codeOf = codesOf(problems);
  const sentence = useSentence(codeOf);
  const until = useUntil(codeOf);
  return (
    <Text component="details" size="sm" c="dimmed" ta="start">
      <summary>{until === undefined ? t.notSecond : t.notSecondUntil(until)}</summary>
      {sentence}
    </Text>
  );
}

interface ColleaguesProps {
  /** Delivered, and not verified yet. */
  readonly batchId: string;
  /** How many changes the batch has had: each may change who is asked. */
  readonly changeCount: number;
}

/** Whom the reader asks to verify a batch; where there is nobody, why, or how an account comes into being. */
export function Colleagues({ batchId, changeCount }: ColleaguesProps) {
  const t = useTexts(FOUR_EYES);
  const wanted = useTexts(WANTED).verify_batch;
  const nameOf = useNameOf();
  const query = { impact_batch_id: batchId };
  const { data, isPending } = useQuery({
    queryKey: ['second-people', batchId, changeCount],
    queryFn: () => answerOf(client.GET('/operator/v1/second-people', { params: { query } })),
    refetchInterval: false,
  });
  if (isPending) return null;
  if (data && isFourEyes(data.details)) return <FourEyes problems={data.details} />;
  const names = data?.people.map(({ operator_id, name }) => isolateForeign(nameOf(operator_id, name))) ?? [];
  if (names.length > 0)
    return <Text size="sm">{t.colleagues(`${names.join(t.comma)}${data?.has_more ? t.andOthers : ''}`, wanted)}</Text>;
  return (
    <>
      <Text size="sm">{data ? t.nobody(wanted) : t.colleaguesUnread(wanted)}</Text>
      <SecondAccount />
    </>
  );
}

/** How one person rehearses with two accounts: a sandbox counts those that the owner account creates as another person's at once. */
function SecondAccount() {
  const t = useTexts(FOUR_EYES);
  if (useSession().environment !== 'sandbox') return null;
  return (
    <>
      <Text size="sm">{t.inSandbox}</Text>
      <Code dir="ltr">npx partner-impact operator create --name NAME --email ADDRESS --role approver</Code>
    </>
  );
}

type CodeOf = (field: string) => string;

const codesOf =
  (problems: readonly Problem[]): CodeOf =>
  (field) =>
    problems.find((problem) => problem.field === field)?.code ?? '';

/** From then on the two accounts count as two persons; `undefined` where no time changes that. */
function useUntil(codeOf: CodeOf): string | undefined {
  const { language } = useLanguage();
  const until = codeOf('until');
  if (until === '') return undefined;
  const rounded = new Date(Math.ceil(Date.parse(until) / MINUTE_MS) * MINUTE_MS).toISOString();
  return formatTime(rounded, { language, zone: ownZone() });
}

function useSentence(codeOf: CodeOf): string {
  const t = useTexts(FOUR_EYES);
  const until = useUntil(codeOf) ?? '';
  const nameOf = useNameOf();
  const step = codeOf('step') as keyof typeof BEGUN;
  const [begun, wanted] = [useTexts(BEGUN)[step], useTexts(WANTED)[step]];
  const { operatorId: own } = useSession().operator;
  const name = (id: string) => isolateForeign(id === 'owner' ? t.owner : nameOf(id));
  const [first, maker] = [codeOf('operator'), codeOf('maker')];
  switch (codeOf('four_eyes')) {
    case 'no_address':
      return t.no_address(name(first));
    case 'same_operator':
      return t.same_operator(begun, wanted);
    case 'same_address':
      return `${t.same_address(name(first), begun)} ${t.another(wanted)}`;
    default: {
      const made =
        (maker === own && t.madeByYou(name(first), begun)) ||
        (maker === first && t.madeByFirst(name(first), begun)) ||
        t.madeByOther(name(first), begun, name(maker));
      return `${made} ${t.withinDays} ${t.until(until, wanted)}`;
    }
  }
}
