/**
 * What the store sends on the hot path, caught instead of sent: the text and values of each statement as the service itself
 * would send them, so that what is explained is never a copy.
 */

import { supportTexts } from '../../src/domain/customer-texts.ts';
import { estimateEmissions } from '../../src/domain/emissions/calculate-emissions.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { findContributionConflicts, lockContribution } from '../../src/store/contributions/contribution.ts';
import { type ContributionDraft, insertContributions } from '../../src/store/contributions/contribution-insert.ts';
import { lookUpContributionsByEvent, lookUpContributionsById } from '../../src/store/contributions/looked-up-contribution.ts';
import type { Queryable } from '../../src/store/database.ts';
import { findEmissionsLinkByKey, insertEmissionsLink } from '../../src/store/emissions/emissions-link.ts';
import {
  type EstimateDraft,
  findEstimatesById,
  findEstimatesByKey,
  insertEstimates,
} from '../../src/store/emissions/estimate.ts';
import type { NumberedRows } from '../load/load.ts';
import { LINKED_EVERY } from './fill.ts';
import { calculationId, eventId, idempotencyKey, newToken, orderRef, transactionId } from './identifiers.ts';

export interface SentStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

const BATCH = 32;

/**
 * @param known Rows of that partner: what is looked for is there.
 * @param unlinked Two estimates or more without a link, for the statements that make one.
 */
export async function catchHotStatements(
  partnerId: string,
  { known, unlinked }: { known: NumberedRows; unlinked: NumberedRows },
): Promise<SentStatement[]> {
  const caught: SentStatement[] = [];
  const catcher = {
    async query(statement: SentStatement) {
      caught.push(statement);
      return { rows: [] };
    },
  } as unknown as Queryable;
  const groups = Math.floor(known.count / LINKED_EVERY / BATCH);
  const numbers = Array.from({ length: BATCH }, (_, index) => (1 + index * groups) * LINKED_EVERY);
  const { token } = unlinked;
  const drafts = numbers.map((number) => draftContribution(partnerId, token, number));
  await insertContributions(catcher, drafts);
  await insertContributions(catcher, drafts, 'fail');
  await insertContributions(catcher, [withLink(drafts[0] as ContributionDraft, linkOf(newId('txn'), token, 1))]);
  await insertEstimates(
    catcher,
    numbers.map((number) => draftEstimate(partnerId, newToken(), number)),
  );
  await lookUpContributionsByEvent(
    catcher,
    numbers.map((number) => ({ partnerId, partnerEventId: eventId(known.token, number) })),
  );
  await lookUpContributionsById(
    catcher,
    numbers.map((number) => ({ partnerId, transactionId: transactionId(known.token, number) })),
  );
  await findEstimatesById(
    catcher,
    numbers.map((number) => ({ partnerId, calculationId: calculationId(known.token, number) })),
  );
  const key = idempotencyKey(known.token, LINKED_EVERY);
  const ofOthers = { partnerEventId: eventId(known.token, 2), partnerOrderRef: orderRef(known.token, 3) };
  await findContributionConflicts(catcher, [{ partnerId, idempotencyKey: key, ...ofOthers }]);
  await lockContribution(catcher, partnerId, transactionId(known.token, 1));
  await findEstimatesByKey(catcher, [{ partnerId, idempotencyKey: key }]);
  await findEmissionsLinkByKey(catcher, partnerId, key);
  const link = linkOf(transactionId(known.token, 1), token, 2);
  await insertEmissionsLink(catcher, { partnerId, idempotencyKey: key, fingerprint: Buffer.alloc(32), link });
  return caught;
}

export function draftContribution(partnerId: string, token: string, number: number): ContributionDraft {
  return {
    partnerId,
    idempotencyKey: idempotencyKey(token, number),
    fingerprint: Buffer.alloc(32),
    calculationId: null,
    associationOutcome: 'not_requested',
    rejectionCode: null,
    correlationId: null,
    link: null,
    firstStatus: 'confirmed',
    seal: { keyId: 'bench', mac: '0'.repeat(64) },
    contribution: {
      ...DEFAULT_RULES,
      transactionId: newId('txn'),
      partnerEventId: eventId(token, number),
      partnerOrderRef: orderRef(token, number),
      status: 'confirmed',
      points: 250n,
      opaqueCustomerRef: null,
      expectedEnvironmentalSupport: supportTexts(250n, undefined),
    },
  };
}

export function draftEstimate(partnerId: string, token: string, number: number): EstimateDraft {
  return {
    partnerId,
    idempotencyKey: idempotencyKey(token, number),
    fingerprint: Buffer.alloc(32),
    estimate: {
      ...estimateEmissions(12_345, 'car_gasoline'),
      calculationId: newId('calc'),
      partnerOrderRef: orderRef(token, number),
      status: 'calculated',
      distanceKm: '12.345',
      vehicleCategory: 'car_gasoline',
    },
  };
}

type Link = NonNullable<ContributionDraft['link']>;

export function withLink(draft: ContributionDraft, link: Link): ContributionDraft {
  const { calculationId, transactionId } = link;
  const contribution = { ...draft.contribution, transactionId };
  return { ...draft, contribution, calculationId, associationOutcome: 'associated', link };
}

export function linkOf(transaction: string, token: string, number: number): Link {
  return {
    ...estimateEmissions(12_345, 'car_gasoline'),
    associationId: newId('assoc'),
    transactionId: transaction,
    calculationId: calculationId(token, number),
    partnerOrderRef: orderRef(token, number),
    distanceKm: '12.345',
    vehicleCategory: 'car_gasoline',
    calculatedAt: new Date(),
  };
}
