/** What needs a recent sign-in: the password or a passkey is asked for when the service wants it, then the change is sent once more. */
import { Stack, Text } from '@mantine/core';
import { createContext, type ReactNode, type RefObject, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { ApiError, StepUpCancelled } from '../api/api-error.ts';
import { answerOf, client } from '../api/client.ts';
import { Below } from '../parts/dialogs/below.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { useTexts } from '../texts/language.tsx';
import { SIGN_IN_REFUSAL } from '../texts/refusals-in-arabic.ts';
import { givePasskeyAgain, hasPasskeys } from './passkey.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { PasswordForm } from './password-form.tsx';
import type { SessionAnswer } from './session-answer.ts';
import { SESSION } from './session-texts.ts';

type WithStepUp = <Result>(work: () => Promise<Result>) => Promise<Result>;

const StepUpContext = createContext<WithStepUp>((work) => work());

export function useStepUp(): WithStepUp {
  return useContext(StepUpContext);
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

interface StepUpProviderProps {
  readonly hasPassword: boolean;
  readonly hasPasskey: boolean;
  /** What waits for the password is given up: the sign-in comes first, and is recent enough for the next try. */
  readonly hasEnded: boolean;
  /** The dialog opens: another window may have added a passkey since the session was read. */
  readonly onOpen: () => void;
  readonly onSignedIn: (session: SessionAnswer) => void;
  readonly children: ReactNode;
}

export function StepUpProvider({ hasPassword, hasPasskey, hasEnded, onOpen, onSignedIn, children }: StepUpProviderProps) {
  const t = useTexts(SESSION);
  const [isOpen, setOpen] = useState(false);
  /** More than one where two changes were under way: each goes on. */
  const waiting = useRef<Waiting[]>([]);
  const isShown = useRef(true);
  const withStepUp = useCallback<WithStepUp>(
    async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!isSignInWanted(error)) throw error;
      }
      if (!isShown.current) throw new StepUpCancelled();
      await new Promise<void>((resolve, reject) => {
        waiting.current.push({ resolve, reject });
        onOpen();
        setOpen(true);
      });
      return work();
    },
    [onOpen],
  );
  const offersPasskey = hasPasskey && hasPasskeys();
  const end = (settle: (waiting: Waiting) => void) => {
    setOpen(false);
    settleAll(waiting, settle);
  };
  // In a task of its own: a dialog below hears the same key, and must still be below.
  const cancel = () => void setTimeout(() => end(giveUp));
  useEffect(() => {
    if (!hasEnded) return;
    setOpen(false);
    settleAll(waiting, giveUp);
  }, [hasEnded]);
  // Of a page that goes because another person signed in: what waits, or would wait, would be under way for ever, and keep the next sign-in
  // away.
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      settleAll(waiting, giveUp);
    };
  }, []);
  const signedIn = (session: SessionAnswer) => {
    onSignedIn(session);
    end(({ resolve }) => resolve());
  };
  return (
    <StepUpContext value={withStepUp}>
      <Below value={isOpen}>{children}</Below>
      <Dialog opened={isOpen} onClose={cancel} title={t.again} zIndex={400}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {hasPassword ? (offersPasskey ? t.againHelp : t.againPasswordHelp) : t.againPasskeyHelp}
          </Text>
          {hasPassword && (
            <PasswordForm
              label={t.goOn}
              inArabic={SIGN_IN_REFUSAL.again}
              send={(given) => answerOf(client.POST('/operator/v1/session/again', { body: given }))}
              onSignedIn={signedIn}
            />
          )}
          {offersPasskey && <PasskeyButton send={givePasskeyAgain} onSignedIn={signedIn} />}
        </Stack>
      </Dialog>
    </StepUpContext>
  );
}

function settleAll(waiting: RefObject<Waiting[]>, settle: (waiting: Waiting) => void): void {
  for (const each of waiting.current.splice(0)) settle(each);
}

function giveUp({ reject }: Waiting): void {
  reject(new StepUpCancelled());
}

function isSignInWanted(error: unknown): boolean {
  return error instanceof ApiError && error.problems.some(({ code }) => code === 'sign_in_again');
}
