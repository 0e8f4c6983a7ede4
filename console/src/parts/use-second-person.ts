/** Whether a step for two people is offered to the reader. */
import { useQuery } from '@tanstack/react-query';
import type { Problem } from '../api/api-error.ts';
import { answerOf, client } from '../api/client.ts';
import { useSession } from '../session/session.tsx';
import type { BEGUN } from '../texts/four-eyes-texts.ts';
import { isFourEyes } from './four-eyes.tsx';

interface SecondPerson {
  /** The reader did it, which is told without a question to the service. */
  readonly isOwn: boolean;
  /** Not before it is known; a service that does not say leaves it to the step. */
  readonly mayOffer: boolean;
  /** Why not; empty where there is no reason, or none that can be told. */
  readonly problems: readonly Problem[];
}

/**
 * Whether the reader counts as another person than the one who did what comes before a step, `null` where nobody did.
 *
 * @param isAsked Whether the step is possible now, and of the reader's role.
 */
export function useSecondPerson(operatorId: string | null, step: keyof typeof BEGUN, isAsked: boolean): SecondPerson {
  const isOwn = operatorId === useSession().operator.operatorId;
  const isInQuestion = isAsked && !isOwn && operatorId !== null;
  const query = { operator_id: operatorId ?? '', step };
  const { data, isPending } = useQuery({
    queryKey: ['second-person', query],
    queryFn: () => answerOf(client.GET('/operator/v1/second-person', { params: { query } })),
    enabled: isInQuestion,
  });
  if (!isInQuestion) return { isOwn, mayOffer: isAsked && !isOwn, problems: [] };
  const isTold = data !== undefined && isFourEyes(data.details);
  return { isOwn, mayOffer: !isPending && !isTold, problems: isTold ? data.details : [] };
}
