/** All that happened to a contribution, in the order of time. */

import { Group, Paper, Stack, Text, Timeline, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { components } from '../../api/operator-types.ts';
import { RecordLink } from '../../layout/record-link.tsx';
import { kindOfId } from '../../layout/record-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { CodeLabel } from '../../parts/code-label.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { usePartner } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { Foreign, Id, Money, Points, Time } from '../../parts/values.tsx';
import { ACTION } from '../../texts/action-texts.ts';
import { ASSOCIATION, EVENT_TYPE, FOUND, REJECTION } from '../../texts/code-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT_REASON, FACT, NO_ANSWER, REVIEW_REASON } from '../../texts/record-texts.ts';
import type { Language } from '../../texts/text.ts';
import { CHANGE, PLANTING } from '../impact/impact-texts.ts';
import { CONTRIBUTION } from './contribution-texts.ts';
import { joinDecision } from './join-decision.ts';
import { useEntryTitle } from './timeline-words.ts';

type Entry = components['schemas']['TimelineEntry'];
type Kind = Entry['kind'];

const ICONS: Readonly<Record<Kind, IconName>> = {
  recorded: 'inbox',
  review_opened: 'search',
  review_resolved: 'people',
  confirmed: 'check',
  failed: 'cross',
  associated: 'leaf',
  event: 'webhook',
  delivery_attempt: 'external',
  settled: 'coins',
  pooled: 'leaf',
  batch_changed: 'leaf',
  adjustment_drafted: 'scales',
  adjustment_approved: 'scales',
  adjustment_rejected: 'cross',
  adjustment_posted: 'scales',
  audited: 'shield',
};

/** Green is what came out well, red what did not, and grey all that only happened. */
function colorOf({ kind, facts }: Entry): string {
  if (kind === 'failed' || kind === 'adjustment_rejected') return 'red';
  if (kind === 'delivery_attempt') return /^2\d\d$/.test(facts['status'] ?? '') ? 'forest' : 'red';
  return kind === 'confirmed' ? 'forest' : 'gray';
}

interface ContributionTimelineProps {
  readonly partnerId: string;
  readonly entries: readonly Entry[];
  readonly zone: string | undefined;
}

export function ContributionTimeline({ partnerId, entries: recorded, zone }: ContributionTimelineProps) {
  const t = useTexts(CONTRIBUTION);
  const entries = joinDecision(recorded);
  const titleOf = useEntryTitle();
  const [isUnfolded, setUnfolded] = useState(false);
  const earlier = earlierChanges(entries);
  const shown = isUnfolded ? entries : entries.filter((entry) => !earlier.includes(entry));
  const itemOf = (entry: Entry) => {
    const { title, said } = titleOf(entry);
    const key = `${entry.at}${entry.kind}${entry.subject_id}`;
    return (
      <Timeline.Item key={key} bullet={<Icon name={ICONS[entry.kind]} size={15} />} color={colorOf(entry)} title={title}>
        <Text size="sm" c="dimmed" component="div">
          <Time at={entry.at} zone={zone} style="second" />
        </Text>
        <EntryFacts partnerId={partnerId} entry={entry} said={said} />
      </Timeline.Item>
    );
  };
  const unfold = (
    <Timeline.Item key="earlier" bullet={<Icon name={ICONS.batch_changed} size={15} />} color="gray">
      <UnstyledButton className="text-link" fz="sm" aria-expanded={isUnfolded} onClick={() => setUnfolded(!isUnfolded)}>
        {t.earlierChanges(earlier.length)} <Icon name={isUnfolded ? 'up' : 'down'} size={14} />
      </UnstyledButton>
    </Timeline.Item>
  );
  // It stays where it is, and what it unfolds follows it.
  const items = entries.flatMap((entry) => [
    ...(entry === earlier[0] ? [unfold] : []),
    ...(shown.includes(entry) ? [itemOf(entry)] : []),
  ]);
  return (
    <Paper p="lg">
      <Timeline bulletSize={30} lineWidth={2} active={items.length}>
        {items}
      </Timeline>
    </Paper>
  );
}

/** The changes of a batch that are shown at once. Where there are more, all but the latest are folded. */
const CHANGES_MAX = 3;

/** All but the latest, where they are more. */
function earlierChanges(entries: readonly Entry[]): readonly Entry[] {
  const changes = entries.filter(({ kind }) => kind === 'batch_changed');
  return changes.length > CHANGES_MAX ? changes.slice(0, -1) : [];
}

interface EntryFactsProps {
  readonly partnerId: string;
  readonly entry: Entry;
  /** The names of the facts that stand above them already. */
  readonly said: readonly string[];
}

function EntryFacts({ partnerId, entry, said }: EntryFactsProps) {
  const { kind, facts, subject_id, operator_id, correlation_id } = entry;
  const common = useTexts(COMMON);
  const { sentNowhere } = useTexts(CONTRIBUTION);
  const kinds = useTexts(FOUND);
  const about = kindOfId(subject_id);
  const { language } = useLanguage();
  const hidden = [...said, ...saidByOthers(language, facts)];
  const shown = Object.entries(facts).filter(([name, value]) => value !== null && value !== '' && !hidden.includes(name));
  const isAboutItself = kind === 'recorded' || about === 'contribution';
  return (
    <Stack gap={2} mt={4}>
      {facts['deliveries'] === '0' && <Text size="sm">{sentNowhere}</Text>}
      {shown.map(([name, value]) => (
        <FactLine key={name} partnerId={partnerId} name={name} value={value ?? ''} />
      ))}
      {!isAboutItself && (
        <Line label={about ? kinds[about] : common.record}>
          <RecordLink partnerId={partnerId} id={subject_id} />
        </Line>
      )}
      {operator_id && (
        <Line label={common.by}>
          <Person id={operator_id} />
        </Line>
      )}
      {correlation_id && (
        <Line label={common.correlationId}>
          <Id id={correlation_id} isShort />
        </Line>
      )}
    </Stack>
  );
}

/** A restatement changes the amount and no points. The reason stands once: in Arabic where somebody wrote it in Arabic. */
function saidByOthers(language: Language, { amount_delta: amount, reason_ar: inArabic }: Entry['facts']): string[] {
  return [...(amount ? ['points_delta'] : []), language === 'ar' && inArabic ? 'reason' : 'reason_ar'];
}

interface FactLineProps {
  readonly partnerId: string;
  readonly name: string;
  readonly value: string;
}

/** A fact that names a version of a rule. */
const VERSION_OF = /^(contribution_rule|point_conversion|tree_cost)_version$/;

function FactLine({ partnerId, name, value }: FactLineProps) {
  const labels = useTexts(FACT);
  const words = useWordsOf(name);
  const label = isNamed(labels, name) ? labels[name] : name;
  if (words && (name !== 'reason' || isNamed(words, value)))
    return (
      <Line label={label}>
        <CodeLabel code={value} words={words} />
      </Line>
    );
  if (name === 'status') return <Line label={label}>{`HTTP ${value}`}</Line>;
  const [, kind] = VERSION_OF.exec(name) ?? [];
  if (kind !== undefined)
    return (
      <Line label={label}>
        <AddressLink to={`/rules?partner=${partnerId}&kind=${kind}`}>
          <bdi dir="ltr">{value}</bdi>
        </AddressLink>
      </Line>
    );
  if (name === 'points_delta')
    return (
      <Line label={label}>
        <Points value={value} />
      </Line>
    );
  if (name === 'amount_delta')
    return (
      <Line label={label}>
        <OwnMoney partnerId={partnerId} amount={value} />
      </Line>
    );
  // A key is the partner's own text, whatever it looks like.
  const isId = name !== 'idempotency_key' && kindOfId(value) !== undefined;
  return <Line label={label}>{isId ? <RecordLink partnerId={partnerId} id={value} /> : <Foreign text={value} isWhole />}</Line>;
}

/** In the currency of the partner. */
function OwnMoney({ partnerId, amount }: { readonly partnerId: string; readonly amount: string }) {
  return <Money amount={amount} currency={usePartner(partnerId).data?.currency} />;
}

/** The words for the codes of a fact; `undefined` where its values are none. */
function useWordsOf(name: string): Readonly<Record<string, string>> | undefined {
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    // What a person wrote stands for itself.
    reason: useTexts(REVIEW_REASON),
    error_class: useTexts(NO_ANSWER),
    association: useTexts(ASSOCIATION),
    rejection_code: useTexts(REJECTION),
    reason_code: useTexts(ADJUSTMENT_REASON),
    event_type: useTexts(EVENT_TYPE),
    action: useTexts(ACTION),
    change: useTexts(CHANGE),
    environmental_status: useTexts(PLANTING),
  };
  return words[name];
}

function isNamed<Table extends object>(table: Table, name: string): name is Extract<keyof Table, string> {
  return Object.hasOwn(table, name);
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Group gap={8} wrap="nowrap" align="baseline">
      <Text size="sm" c="dimmed" w={{ base: 120, sm: 170 }} flex="none">
        {label}
      </Text>
      <Text size="sm" component="div" miw={0}>
        {children}
      </Text>
    </Group>
  );
}
