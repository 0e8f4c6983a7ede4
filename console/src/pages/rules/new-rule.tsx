/** A version of a rule, for one partner or for all. */
import { Alert, Paper } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useFilters } from '../../app/use-filters.ts';
import { Page } from '../../layout/page.tsx';
import { usePartner } from '../../parts/partner.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { NewRuleForm } from './new-rule-form.tsx';
import { RULE } from './rule-texts.ts';

export function NewRule() {
  const t = useTexts(RULE);
  const navigate = useNavigate();
  const mayCreate = useMay('admin');
  const { filters, setFilters } = useFilters(['partner']);
  const partner = usePartner(filters.partner);
  const list = `/rules${filters.partner ? `?partner=${filters.partner}` : ''}`;
  return (
    <Page
      title={mayCreate ? t.createTitle : t.previewVersion}
      description={mayCreate ? `${t.previewHelp} ${t.createHelp}` : t.previewHelp}
      parent={partner.data && { to: list, label: partner.data.name }}
    >
      {!mayCreate && <Alert color="gray">{t.notAllowed}</Alert>}
      <Paper p="lg">
        <NewRuleForm
          partner={filters.partner}
          onPartner={(partner) => setFilters({ partner })}
          onCreated={() => void navigate({ href: list, ignoreBlocker: true })}
        />
      </Paper>
    </Page>
  );
}
