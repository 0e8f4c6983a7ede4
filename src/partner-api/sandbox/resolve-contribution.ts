import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { currentAssociation } from '../../wire/association-outcome.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { Contribution, TransactionParams } from '../contributions/contribution-schemas.ts';
import { Association } from '../emissions/association-schemas.ts';
import { postWithStoredAnswer } from '../stored-answer-post.ts';
import { callerIn, type SandboxApiOptions } from './sandbox-api-options.ts';
import { ResolveBody } from './sandbox-schemas.ts';

/** Resolves a pending contribution, as an operator does. */
export function resolveSandboxContribution(app: FastifyInstance, options: SandboxApiOptions): void {
  postWithStoredAnswer<Static<typeof ResolveBody>, Static<typeof TransactionParams>>(app, options, {
    operation: 'resolveSandboxContribution',
    path: '/v1/sandbox/impact-transactions/:transaction_id/resolve',
    isSandboxChange: true,
    params: TransactionParams,
    body: ResolveBody,
    answer: { contribution: Contribution, association: Association },
    async work(call) {
      const { transaction_id: transactionId } = call.params;
      if (!isLongIdentifier(transactionId)) throw contributionNotFound('transaction_id');
      const record = await options.sandbox.resolve(callerIn(call), { transactionId, status: call.body.status });
      return {
        contribution: contributionToWire(record.contribution, options.environment),
        association: associationToWire(currentAssociation(record), options.environment),
      };
    },
  });
}
