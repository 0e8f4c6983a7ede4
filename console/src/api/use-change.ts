import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'react';
import { pageTitle } from '../app/page-title.ts';
import { isSecondClick } from '../app/second-click.ts';
import { notifyLeft } from '../parts/dialogs/left-change.tsx';
import { notify } from '../parts/notify.tsx';
import { useStepUp } from '../session/step-up.tsx';
import {
  ApiError,
  DoneBeforeError,
  mayBeMade,
  NoAnswerError,
  NotReadError,
  SessionEndedError,
  SessionNotReadError,
} from './api-error.ts';
import { renewToken, requireSender, senderNow } from './client.ts';

interface ChangeTerms<Input, Output> {
  /**
   * @param input All that is sent and can be another one the next time, because of the key.
   * @param key For `Idempotency-Key`: the same for the same input, until it was done, or its answer cannot be shown any more.
   * @param sender Who decided it: each request after the first one begins with `requireSender`.
   */
  readonly send: (input: Input, key: string, sender: string | undefined) => Promise<Output>;
  /** What the person reads when it is done; nothing where the next thing shows by itself. */
  readonly done?: string | ((output: Output) => string);
  /** What the person reads instead where it was done to no avail. */
  readonly failed?: (output: Output) => string | undefined;
  /** Not called once the person has left the page: it leads nobody away from another. */
  readonly onDone?: (output: Output) => void;
  /** Whether somebody else may be faster: after a refusal every view is read again, and the dialog says what it finds. */
  readonly isContested?: boolean;
  /**
   * Of a contested change that the service would make once more: whether it is made, by what is read now. Then nothing is sent. It reads by a
   * request of its own: a query that fails has an earlier answer, and one that reads again waits while nobody looks at the page.
   *
   * @param isInDoubt Whether it may have been made here.
   * @throws ApiError, NoAnswerError When it cannot be read. Then nothing is sent either.
   */
  readonly isMadeNow?: (input: Input, isInDoubt: boolean) => Promise<boolean>;
}

export type Change<Input, Output> = Omit<UseMutationResult<Output, Error, Input>, 'error'> & {
  /** `null` too where the session had ended, which the sign-in says, and where somebody was faster, which the dialog says. */
  readonly error: Error | null;
  /** What may have been made, because no answer came: the same input again brings the answer. */
  readonly inDoubt: readonly Input[];
  /** Whether the fields keep what was sent: while it is under way, and while it may have been made. Other words would be another change. */
  readonly isLocked: boolean;
  /** Also before `isPending` is drawn. */
  readonly isUnderWay: () => boolean;
};

interface Sent<Input> {
  readonly input: Input;
  readonly key: string;
  readonly isInDoubt: boolean;
  /** Who sent it. */
  readonly sender: string | undefined;
}

const FORGOTTEN_MS = 1_000;

/**
 * A change: sent with a key that makes a repetition harmless, after the password where it is wanted; then every view is read again. What is
 * under way is not sent again, and not forgotten: the second click of a double-click comes before the button is drawn as busy. Where the
 * answer was faster, it sends nothing either.
 */
export function useChange<Input, Output>({
  send,
  done,
  failed,
  onDone,
  isContested = false,
  isMadeNow,
}: ChangeTerms<Input, Output>): Change<Input, Output> {
  const queries = useQueryClient();
  const changeId = useId();
  const withStepUp = useStepUp();
  /** By the payload: what was sent and is not done. */
  const sent = useRef(new Map<string, Sent<Input>>());
  const underWay = useRef(new Set<string>());
  const isShown = useIsShown();
  const change = useMutation<Output, Error, Input>({
    // An answer may hold a secret: it is forgotten soon after the page. With 0 the library looks without a pause for the end of what is under way.
    gcTime: FORGOTTEN_MS,
    mutationFn(input) {
      const payload = payloadOf(input);
      const { key, isInDoubt } = sent.current.get(payload) ?? { key: crypto.randomUUID(), isInDoubt: false };
      const sender = senderNow();
      sent.current.set(payload, { input, key, isInDoubt, sender });
      const page = pageTitle();
      return withStepUp(async () => {
        if (await isMadeNow?.(input, isInDoubt).catch((error) => failToRead(error, isInDoubt))) throw new DoneBeforeError();
        requireSender(sender);
        return send(input, key, sender).catch((error) => failUnread(error, isInDoubt));
      })
        .catch((error) => failAsSession(error, sender))
        .catch((error) => {
          const left = { page, error, isInDoubt: staysInDoubt(error, isInDoubt) };
          if (!isShown.current && senderNow() === sender) notifyLeft(left, changeId);
          throw error;
        });
    },
    onSuccess(output, input) {
      const sender = sent.current.get(payloadOf(input))?.sender;
      sent.current.delete(payloadOf(input));
      void queries.invalidateQueries();
      // It is nobody's news who signed in meanwhile.
      if (senderNow() !== sender) return;
      const failure = failed?.(output);
      const message = failure ?? (typeof done === 'function' ? done(output) : done);
      if (message !== undefined) notify(message, { changeId, isFailure: failure !== undefined });
      if (isShown.current) onDone?.(output);
    },
    onError(error, input) {
      // It may have been done, or somebody else was faster: what is shown may be of before.
      const isRefused = error instanceof ApiError && error.status !== 401;
      if ((isContested && isRefused) || error instanceof DoneBeforeError || error instanceof NoAnswerError)
        void queries.invalidateQueries();
      const before = sent.current.get(payloadOf(input));
      // It was done with this key, and its answer is gone: what is sent again is another change.
      if (isKeySpent(error)) sent.current.delete(payloadOf(input));
      else if (before) sent.current.set(payloadOf(input), { ...before, isInDoubt: staysInDoubt(error, before.isInDoubt) });
    },
    onSettled: (_output, _error, input) => void underWay.current.delete(payloadOf(input)),
  });
  const isUnderWay = () => underWay.current.size > 0;
  const inDoubt = [...sent.current.values()].filter((each) => each.isInDoubt).map(({ input }) => input);
  return {
    ...change,
    error: change.error instanceof SessionEndedError || change.error instanceof DoneBeforeError ? null : change.error,
    inDoubt,
    isLocked: change.isPending || inDoubt.length > 0,
    isUnderWay,
    // Forgotten meanwhile it would be drawn as not busy, and be sent once more.
    reset: () => void (isUnderWay() || change.reset()),
    mutate(...terms) {
      const payload = payloadOf(terms[0]);
      if (underWay.current.has(payload) || isSecondClick()) return;
      underWay.current.add(payload);
      change.mutate(...terms);
    },
  };
}

function useIsShown() {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

/** A read that fails says nothing of the change: it was not sent, or is as much in doubt as before. The end of the session is said as ever. */
function failToRead(error: unknown, isInDoubt: boolean): never {
  if (error instanceof ApiError && error.status === 401) throw error;
  throw isInDoubt ? new NoAnswerError('not read', { cause: error }) : new NotReadError('not read', { cause: error });
}

/** The session that could not be read says nothing of what was sent before: that is as much in doubt as before. */
function failUnread(error: unknown, isInDoubt: boolean): never {
  if (error instanceof SessionNotReadError && isInDoubt) throw new NoAnswerError('not read', { cause: error.cause });
  throw error;
}

/** A refusal for the session, which the same person may have made anew in another tab meanwhile: then nothing but the error says it. */
async function failAsSession(error: unknown, sender: string | undefined): Promise<never> {
  const isOfSession = error instanceof ApiError && error.status === 401;
  if (isOfSession && !(await renewToken(sender).catch(() => true))) throw new SessionEndedError(error.status, error);
  throw error;
}

function isKeySpent(error: Error): boolean {
  return (
    error instanceof ApiError && error.problems.some(({ field, code }) => field === 'Idempotency-Key' && code === 'not_possible')
  );
}

/** Refusals before the key is looked at: for the session, the role or an old sign-in, and of a request that was too slow, too large or one too many. */
const BEFORE_KEY: readonly number[] = [401, 403, 408, 413, 429];

/**
 * What was sent before under the same key is in doubt until the service says what became of it: a refusal before the key is looked at, also
 * by a proxy, does not, nor does a step that the person gave up.
 */
function staysInDoubt(error: unknown, wasInDoubt: boolean): boolean {
  const saysNothing = !(error instanceof ApiError) || BEFORE_KEY.includes(error.status);
  return mayBeMade(error) || (wasInDoubt && saysNothing);
}

function payloadOf(input: unknown): string {
  return JSON.stringify(input ?? null);
}
