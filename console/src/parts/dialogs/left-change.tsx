/** What became of a change whose page was left, and with it the form that would say so. */
import { Text } from '@mantine/core';
import { ApiError, DoneBeforeError, NotReadError, SessionEndedError, SessionNotReadError } from '../../api/api-error.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { notify } from '../notify.tsx';
import { Refusal } from '../problem.tsx';

interface LeftChange {
  /** The title of the page on which it was sent. */
  readonly page: string;
  readonly error: Error;
  /** Whether it, or what was sent before with the same key, may have been made. */
  readonly isInDoubt: boolean;
}

/** Tells that it was not completed, or may have been. The sign-in tells of the end of a session; what is in doubt is told after it. */
export function notifyLeft(left: LeftChange, changeId: string): void {
  if (left.error instanceof SessionEndedError && !left.isInDoubt) return;
  notify(<WhatBecame {...left} />, { changeId, isFailure: true });
}

function WhatBecame(left: LeftChange) {
  const { page, error } = left;
  const t = useTexts(COMMON);
  return (
    <>
      {t[outcomeOf(left)]}
      <Text size="sm" mt={4}>
        {isolateForeign(page)}
      </Text>
      {error instanceof ApiError && (
        <Text size="sm" mt={4} className="foreign" component="div">
          <Refusal error={error} />
        </Text>
      )}
    </>
  );
}

function outcomeOf({ error, isInDoubt }: LeftChange) {
  if (error instanceof DoneBeforeError) return 'leftOvertaken';
  if (error instanceof SessionNotReadError) return 'sessionNotRead';
  if (error instanceof NotReadError) return 'notReadFirst';
  return isInDoubt ? 'leftInDoubt' : 'leftNotCompleted';
}
