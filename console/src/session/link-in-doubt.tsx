/** A one-time link whose answer was lost: it may be used up, and then what it set signs in. It has no key that would bring its answer. */
import { type ReactNode, useState } from 'react';
import { ApiError, mayBeMade } from '../api/api-error.ts';
import { useTexts } from '../texts/language.tsx';
import { SESSION } from './session-texts.ts';

/** What the link was traded for. */
type Traded = 'password' | 'passkey';

/** What is said of an error in place of its own words; nothing where these say more. */
export type InDoubtOf = (error: Error | null) => ReactNode;

interface LinkInDoubt {
  /** Trades the link, and keeps in mind that it may be used up where no answer comes. */
  readonly trade: <Answer>(traded: Traded, sent: Promise<Answer>) => Promise<Answer>;
  readonly inDoubtOf: InDoubtOf;
}

export function useLinkInDoubt(): LinkInDoubt {
  const t = useTexts(SESSION);
  const [inDoubt, setInDoubt] = useState<Traded>();
  return {
    async trade(traded, sent) {
      try {
        return await sent;
      } catch (error) {
        if (mayBeMade(error)) setInDoubt(traded);
        throw error;
      }
    },
    inDoubtOf(error) {
      if (!inDoubt || !(mayBeMade(error) || isOfUsedLink(error))) return undefined;
      return (
        <>
          {inDoubt === 'password' ? t.passwordInDoubt : t.passkeyInDoubt}{' '}
          <a className="text-link" href="/">
            {t.signIn}
          </a>
        </>
      );
    },
  };
}

/** A second factor that is missing or wrong is refused after the link was found to be valid. */
function isOfUsedLink(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 401 && error.problems.length === 0;
}
