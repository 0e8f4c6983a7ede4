import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../../api/operator-types.ts';
import { AddressLink } from '../../../parts/address-link.tsx';
import { PartnerTime } from '../../../parts/partner.tsx';
import { Records } from '../../../parts/records.tsx';
import { Loaded } from '../../../parts/state.tsx';
import { useMay } from '../../../session/session.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { InForce } from '../../rules/in-force.tsx';
import { NewRuleForm } from '../../rules/new-rule-form.tsx';
import { type Rule, RuleSummary } from '../../rules/rule-summary.tsx';
import { RULE, RULE_KIND } from '../../rules/rule-texts.ts';
import { defaultKinds, KINDS, useRulesInForce, useUpcomingRules } from '../../rules/use-rules.ts';
import { SET_UP } from './set-up-texts.ts';
import { Step } from './step.tsx';

type InForceRules = components['schemas']['RulesInForce'];

/** The kinds of rules for a partner whose points have no value. */
const KINDS_WITHOUT_CURRENCY = ['contribution_rule'] as const;

interface RuleStepProps {
  readonly partnerId: string | undefined;
  readonly currency: string | null;
}

/** What is in force for the partner, what starts later, and a form for the next; without a rule of its own the defaults apply. */
export function RuleStep({ partnerId, currency }: RuleStepProps) {
  const t = useTexts(SET_UP);
  const query = useRulesInForce(partnerId);
  const kinds = useTexts(RULE_KIND);
  const upcoming = useUpcomingRules(partnerId, currency);
  const wanted = currency === null ? KINDS_WITHOUT_CURRENCY : KINDS;
  const missing = query.data && upcoming.data ? kindsWithoutVersion(wanted, query.data, upcoming.data) : wanted;
  return (
    <Step
      number={2}
      title={t.rule}
      help={t.ruleHelp}
      state={missing.length < wanted.length ? 'done' : 'optional'}
      isLocked={partnerId === undefined}
    >
      <Loaded query={query}>
        {(rules) => (
          <Loaded query={upcoming}>
            {(later) => (
              <Stack gap="sm">
                <Defaults rules={rules} later={later} />
                {missing.length > 0 && missing.length < wanted.length && (
                  <Text size="sm">{t.ruleMissing(missing.map((kind) => kinds[kind]))}</Text>
                )}
                <InForce rules={rules} currency={currency} />
                {later.length > 0 && <Upcoming partnerId={partnerId ?? ''} rules={later} />}
                <NewRuleOf partnerId={partnerId ?? ''} currency={currency} />
              </Stack>
            )}
          </Loaded>
        )}
      </Loaded>
    </Step>
  );
}

/** What holds by default: for good, or until what starts later. */
function Defaults({ rules, later }: { readonly rules: InForceRules; readonly later: readonly Rule[] }) {
  const t = useTexts(SET_UP);
  const defaults = defaultKinds(rules);
  const waited = defaults.filter((kind) => later.some((rule) => rule.kind === kind));
  if (waited.length > 0) return <Text size="sm">{t.ruleUntil(waited.map((kind) => t[`without_${kind}`]))}</Text>;
  if (!defaults.includes('contribution_rule') || !defaults.includes('point_conversion')) return null;
  return <Text size="sm">{t.ruleDefault}</Text>;
}

/** The kinds of which the partner has the defaults now, and no version that starts later. */
function kindsWithoutVersion(
  kinds: readonly Rule['kind'][],
  rules: InForceRules,
  upcoming: readonly Rule[],
): readonly Rule['kind'][] {
  const defaults: readonly Rule['kind'][] = defaultKinds(rules);
  return kinds.filter((kind) => defaults.includes(kind) && !upcoming.some((rule) => rule.kind === kind));
}

function Upcoming({ partnerId, rules }: { readonly partnerId: string; readonly rules: readonly Rule[] }) {
  const t = useTexts(SET_UP);
  const kinds = useTexts(RULE_KIND);
  const words = useTexts(RULE);
  return (
    <Records
      label={t.ruleUpcoming}
      rows={rules}
      keyOf={({ kind, version }) => `${kind} ${version}`}
      empty={null}
      columns={[
        { label: t.ruleUpcoming, show: ({ kind }) => kinds[kind] },
        { label: words.version, show: ({ version }) => <bdi dir="ltr">{version}</bdi> },
        { label: words.states, show: (rule) => <RuleSummary rule={rule} /> },
        { label: words.starts, show: ({ starts_at }) => <PartnerTime partnerId={partnerId} at={starts_at} /> },
      ]}
    />
  );
}

function NewRuleOf({ partnerId, currency }: { readonly partnerId: string; readonly currency: string | null }) {
  const t = useTexts(SET_UP);
  const mayCreate = useMay('admin');
  const [isOpen, setOpen] = useState(false);
  const link = <AddressLink to={`/rules?partner=${partnerId}`}>{t.ruleLink}</AddressLink>;
  if (!mayCreate)
    return (
      <Text size="sm">
        {t.ruleByAdmin} {link}
      </Text>
    );
  if (isOpen) return <NewRuleForm partner={partnerId} currency={currency} onCreated={() => setOpen(false)} />;
  return (
    <Group>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t.ruleNew}
      </Button>
      {link}
    </Group>
  );
}
