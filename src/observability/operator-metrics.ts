import { Counter, type Registry } from 'prom-client';

export interface OperatorCounts {
  /** A request waited in vain, for a turn or a connection. */
  countRefused(waitedFor: string): void;
  /** A password, a link or a code was wrong (`unauthorized`), or too many passwords were before (`rate_limited`). */
  countSignInRefused(code: string): void;
}

/** For the process that answers operators. */
export function measureOperators(registry: Registry): OperatorCounts {
  const refused = new Counter({
    name: 'partner_impact_operator_requests_refused_total',
    help: 'Requests of operators answered with 503 because too many were under way, by what they waited for: turn or connection.',
    labelNames: ['waited_for'],
    registers: [registry],
  });
  const signIns = new Counter({
    name: 'partner_impact_operator_sign_ins_refused_total',
    help: 'Sign-ins of operators that were refused: unauthorized for a wrong password, link, code or passkey, rate_limited after five wrong passwords in a row.',
    labelNames: ['code'],
    registers: [registry],
  });
  // An increase is seen only of a series that was there before.
  for (const code of ['unauthorized', 'rate_limited']) signIns.inc({ code }, 0);
  return {
    countRefused: (waitedFor) => refused.inc({ waited_for: waitedFor }),
    countSignInRefused: (code) => signIns.inc({ code }),
  };
}
