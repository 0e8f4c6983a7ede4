import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Icon } from '../../parts/icon.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RECONCILIATION } from './reconciliation-texts.ts';

interface StartProps {
  readonly partnerId?: string | undefined;
  readonly settlementId?: string | undefined;
}

/** Leads to where a file is dropped, with what is known already. */
export function StartReconciliation({ partnerId, settlementId }: StartProps) {
  const t = useTexts(RECONCILIATION);
  const navigate = useNavigate();
  if (!useMay('operator')) return null;
  const search = { partner: partnerId, settlement: settlementId };
  return (
    <Button
      variant={settlementId === undefined ? 'filled' : 'default'}
      leftSection={<Icon name="upload" size={16} />}
      onClick={() => void navigate({ to: '/reconciliations/new', search: search as never })}
    >
      {t.start}
    </Button>
  );
}
