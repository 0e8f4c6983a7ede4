import { useTexts } from '../../texts/language.tsx';
import { NO_ANSWER } from '../../texts/record-texts.ts';

interface Answered {
  readonly status: number | null;
  /** Why there was no answer. */
  readonly error_class: string | null;
}

/** What a receiver answered to an attempt, or why it did not, in words. */
export function useAttemptAnswer(): (attempt: Answered) => string {
  const reasons = useTexts(NO_ANSWER);
  return ({ status, error_class: reason }) => {
    if (status !== null) return `HTTP ${status}`;
    return reason !== null && Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : reasons.other;
  };
}
