/** What became of a change whose page was left, and with it the form that would say so. */
import { Text } from '@mantine/core';
import { ApiError, DoneBeforeError, mayBeMade, NotReadError, SessionEndedError, StepUpCancelled } from '../../api/api-error.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { notify } from '../notify.tsx';
import { Refusal } from '../problem.tsx';

interface LeftChange {
  /** The title of the page on which it was sent. */
  readonly page: string;
  readonly error: Error;
}

/** Tells that it was not made, or may have been. The sign-in tells of the end of a session, and who closed the dialog of the password knows. */
export function notifyLeft(left: LeftChange, changeId: string): void {
  if (left.error instanceof SessionEndedError || left.error instanceof StepUpCancelled) return;
  notify(<WhatBecame {...left} />, { changeId, isFailure: true });
}

function WhatBecame({ page, error }: LeftChange) {
  const t = useTexts(COMMON);
  return (
    <>
      {isolateForeign(page)}: {t[outcomeOf(error)]}
      {error instanceof ApiError && (
        <Text size="sm" mt={4} className="foreign" component="div">
          <Refusal error={error} />
        </Text>
      )}
    </>
  );
}

function outcomeOf(error: Error) {
  if (error instanceof DoneBeforeError) return 'leftOvertaken';
  if (error instanceof NotReadError) return 'notReadFirst';
  return mayBeMade(error) ? 'leftInDoubt' : 'leftNotMade';
}
