import { useState } from 'react';

/** The step that is asked for, and afterwards the one that was: its dialog closes with its own texts. `undefined` before the first. */
export function useLastStep<Step>(step: Step | undefined): Step | undefined {
  const [last, setLast] = useState(step);
  if (step !== undefined && step !== last) setLast(step);
  return step ?? last;
}
