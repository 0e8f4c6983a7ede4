import type { components } from '../../api/operator-types.ts';
import { ACTION } from '../../texts/action-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { PLANTING } from '../impact/impact-texts.ts';

type Entry = components['schemas']['AuditEntry'];

/** The words for the action of an entry: of a step of a batch, with the step. */
export function useActionWords(): (entry: Entry) => Readonly<Record<string, string>> {
  const actions: Readonly<Record<string, string>> = useTexts(ACTION);
  const steps: Readonly<Record<string, string>> = useTexts(PLANTING);
  return ({ action, after_json }) => {
    const words = actions[action];
    const step = action === 'impact-batch.advance' ? steps[statusOf(after_json)] : undefined;
    return words === undefined || step === undefined ? actions : { ...actions, [action]: `${words}: ${step}` };
  };
}

/** The status of an impact batch in the JSON of an audit entry. */
function statusOf(json: string | null): string {
  return (JSON.parse(json ?? '{}') as { readonly status?: string }).status ?? '';
}
