import type { Actor } from '../../domain/access/role.ts';
import { invalidRequest, wrongForm } from '../../domain/service-error.ts';
import { isText, textForm, whyRefused } from '../../domain/single-line-text.ts';
import { listAuditSubjectsOfAction } from '../../store/audit/audited-subject.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { lockSettlement } from '../../store/settlements/settlement.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { withRole } from '../with-role.ts';
import { partnerHasNoSettlement } from './get-settlement.ts';
import { listSettlementEntries } from './list-settlement-entries.ts';

/** What an operator told the partner about a dispute. The service sends it to nobody. */
export interface DisputeReply {
  readonly repliedAt: Date;
  readonly operatorId: string;
  readonly text: string;
}

/** The action of its audit entries, whose subject is the settlement. */
const REPLY = 'dispute.reply';

export const REPLY_CHARACTERS_MAX = 5_000;
/** So many fit among the entries that are read, here and where the acknowledgements are verified. */
const REPLIES_MAX = 20;

/**
 * Records that the partner was answered, with the words, so that colleagues see it. The dispute stays open until the partner accepts.
 *
 * @throws ServiceError `invalid_request` for an unknown settlement (404), for one that is not disputed, for a text that is blank or too
 *   long, and after 20 replies.
 */
export const replyToDispute = withRole(
  'operator',
  async (
    database: Database,
    actor: Actor,
    { partnerId, settlementId, text }: { readonly partnerId: string; readonly settlementId: string; readonly text: string },
  ): Promise<DisputeReply> => {
    requireText(text);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      // Of several replies at once each sees the ones before it.
      const settlement = await lockSettlement(db, partnerId, settlementId);
      if (!settlement) throw partnerHasNoSettlement(partnerId, settlementId);
      if (settlement.acknowledgement.status !== 'disputed') throw refused('The partner does not dispute this settlement.');
      const replies = await listDisputeReplies(db, { partnerId, settlementId });
      if (replies.length >= REPLIES_MAX) throw refused(`The settlement has ${REPLIES_MAX} replies, as many as it can have.`);
      const repliedAt = await audit(db, actor, {
        action: REPLY,
        partnerId,
        subjectId: settlementId,
        before: null,
        after: { text },
      });
      return { repliedAt, operatorId: actor.operatorId, text };
    });
  },
);

/** The earliest first. */
export async function listDisputeReplies(
  db: Queryable,
  { partnerId, settlementId }: { readonly partnerId: string; readonly settlementId: string },
): Promise<DisputeReply[]> {
  const entries = await listSettlementEntries(db, settlementId);
  return entries
    .filter((entry) => entry.action === REPLY && entry.partnerId === partnerId)
    .map(({ recordedAt, operatorId, after }) => {
      const { text } = JSON.parse(after ?? '{}') as { text: string };
      return { repliedAt: recordedAt, operatorId, text };
    })
    .reverse();
}

/** Which of these settlements have a recorded reply of an operator. */
export async function findRepliedSettlements(db: Queryable, settlementIds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(settlementIds.length === 0 ? [] : await listAuditSubjectsOfAction(db, settlementIds, REPLY));
}

function requireText(text: string): void {
  if (isText(text, REPLY_CHARACTERS_MAX)) return;
  const problem = wrongForm('text', textForm(text, REPLY_CHARACTERS_MAX));
  throw invalidRequest([{ ...problem, code: whyRefused(text, REPLY_CHARACTERS_MAX) }]);
}

const refused = (message: string) => invalidRequest([{ field: 'settlement_id', code: 'not_possible', message }]);
