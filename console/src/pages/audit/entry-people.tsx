/** Who made an entry of the audit, and what it is about: by name where there is one. */
import type { components } from '../../api/operator-types.ts';
import { RecordLink } from '../../layout/record-link.tsx';
import { kindOfId } from '../../layout/record-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { CodeLabel } from '../../parts/code-label.tsx';
import { PartnerLink } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Id } from '../../parts/values.tsx';
import { FOUND, JOB_NAME } from '../../texts/code-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { JOB } from '../jobs/job-texts.ts';
import { RULE_KIND } from '../rules/rule-texts.ts';
import { AUDIT } from './audit-texts.ts';

type Entry = components['schemas']['AuditEntry'];

/** A partner acts by one of its keys. */
export function MadeBy({ entry: { role, operator_id } }: { readonly entry: Entry }) {
  const { apiKey } = useTexts(AUDIT);
  if (role !== 'partner') return <Person id={operator_id} />;
  return <TwoLines first={apiKey} second={<Id id={operator_id} isShort />} />;
}

/** A version of a rule, as the audit names it. */
const RULE_SUBJECT = /^(\w+)\/(.+)$/;

export function About({ entry: { action, partner_id, subject_id } }: { readonly entry: Entry }) {
  const kinds = useTexts(FOUND);
  const rules = useTexts(RULE_KIND);
  const { apiKey } = useTexts(AUDIT);
  if (action === 'job.run') return <AboutJob job={subject_id} />;
  if (subject_id.startsWith('ptn_')) return <TwoLines first={kinds.partner} second={<PartnerLink id={subject_id} />} />;
  if (subject_id.startsWith('opr_')) return <TwoLines first={kinds.operator} second={<Person id={subject_id} />} />;
  const [, kindOfRule, version] = RULE_SUBJECT.exec(subject_id) ?? [];
  if (kindOfRule !== undefined && Object.hasOwn(rules, kindOfRule))
    return (
      <TwoLines
        first={rules[kindOfRule as keyof typeof rules]}
        second={
          <bdi dir="ltr" className="foreign">
            {version}
          </bdi>
        }
      />
    );
  if (action.startsWith('key.')) return <TwoLines first={apiKey} second={<Id id={subject_id} isShort />} />;
  const kind = subject_id.startsWith('project_') ? 'project' : kindOfId(subject_id);
  if (kind === undefined) return <Id id={subject_id} isShort />;
  return <TwoLines first={kinds[kind]} second={<RecordLink partnerId={partner_id ?? ''} id={subject_id} />} />;
}

function AboutJob({ job }: { readonly job: string }) {
  const t = useTexts(JOB);
  const names = useTexts(JOB_NAME);
  const link = (
    <AddressLink to={`/jobs?job=${job}`}>
      <CodeLabel code={job} words={names} />
    </AddressLink>
  );
  return <TwoLines first={t.job} second={link} />;
}
