import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import { AddressLink } from '../../../parts/address-link.tsx';
import { Records } from '../../../parts/records.tsx';
import { Loaded } from '../../../parts/state.tsx';
import { Time } from '../../../parts/values.tsx';
import { useMay } from '../../../session/session.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { InForce } from '../../rules/in-force.tsx';
import { NewRuleForm } from '../../rules/new-rule-form.tsx';
import { RULE, RULE_KIND } from '../../rules/rule-texts.ts';
import { type Rule, Said } from '../../rules/said.tsx';
import { SET_UP } from './set-up-texts.ts';
import { Step } from './step.tsx';

const DEFAULT = 'default-1';

export function useRulesInForce(partnerId: string | undefined) {
  return useQuery({
    queryKey: ['rules-in-force', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/rules', { params: { path: { partner_id: partnerId ?? '' } } })),
    enabled: partnerId !== undefined,
  });
}

interface RuleStepProps {
  readonly partnerId: string | undefined;
  readonly currency: string | null;
}

/** What is in force for the partner, what starts later, and a form for the next; without a rule of its own the defaults apply. */
export function RuleStep({ partnerId, currency }: RuleStepProps) {
  const t = useTexts(SET_UP);
  const query = useRulesInForce(partnerId);
  const upcoming = useUpcoming(partnerId);
  const hasRule = query.data !== undefined && query.data.contribution_rule_version !== DEFAULT;
  const hasOne = hasRule || (upcoming.data?.rules.length ?? 0) > 0;
  return (
    <Step number={2} title={t.rule} help={t.ruleHelp} state={hasOne ? 'done' : 'optional'} isLocked={partnerId === undefined}>
      <Loaded query={query}>
        {(rules) => (
          <Loaded query={upcoming}>
            {(later) => (
              <Stack gap="sm">
                {rules.contribution_rule_version === DEFAULT && rules.point_conversion_version === DEFAULT && (
                  <Text size="sm">{later.rules.length === 0 ? t.ruleDefault : t.ruleDefaultUntil}</Text>
                )}
                <InForce rules={rules} currency={currency} />
                {later.rules.length > 0 && <Upcoming rules={later.rules} />}
                <NewRuleOf partnerId={partnerId ?? ''} currency={currency} />
              </Stack>
            )}
          </Loaded>
        )}
      </Loaded>
    </Step>
  );
}

function useUpcoming(partnerId: string | undefined) {
  return useQuery({
    queryKey: ['rules-upcoming', partnerId],
    queryFn: () => {
      const query = { partner_id: partnerId ?? '', standing: 'upcoming', sort: 'starts_at' } as const;
      return answerOf(client.GET('/operator/v1/rules', { params: { query } }));
    },
    enabled: partnerId !== undefined,
  });
}

function Upcoming({ rules }: { readonly rules: readonly Rule[] }) {
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
        { label: words.states, show: (rule) => <Said rule={rule} /> },
        { label: words.starts, show: ({ starts_at }) => <Time at={starts_at} /> },
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
