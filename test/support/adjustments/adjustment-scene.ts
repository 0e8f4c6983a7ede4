import assert from 'node:assert/strict';
import type { Actor, Role } from '../../../src/domain/access/role.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../../src/operations/adjustments/manage-adjustment.ts';
import type { Adjustment } from '../../../src/store/adjustments/adjustment.ts';
import { enrolled } from '../actor.ts';
import type { Answer, Client } from '../client.ts';
import { document, listMisfits } from '../published.ts';
import { untilAllSequenced } from '../records.ts';
import type { TestService } from '../service.ts';
import { openFirst, priced } from '../settlements.ts';

export const WHY = {
  reasonCode: 'duplicate_report',
  reasonEn: 'The order was reported twice.',
  reasonAr: 'أُبلغ عن الطلب مرتين.',
};

/** For an adjustment of the amount alone. */
export const restated = { reasonCode: 'conversion_restatement' };

interface Of {
  readonly partnerId: string;
  readonly transactionId: string;
}

type Id = Pick<Adjustment, 'partnerId' | 'adjustmentId'>;

/** An operator and an approver of the service, what they do with adjustments, and partners to do it to. */
export async function adjustmentScene(service: TestService) {
  const { database } = service;
  const [ADA, BEA] = await enrolled(database, 'operator', 'approver');
  const one = async (role: Role) => (await enrolled(database, role))[0];

  async function newPartner() {
    const { partner, client } = await service.newPartner();
    await openFirst(database, partner);
    return { partnerId: partner.partnerId, client };
  }

  async function newContribution(points: bigint | number = 250) {
    const made = await newPartner();
    const answer = await made.client.confirm({ points });
    assert.equal(answer.status, 201, answer.text);
    const { contribution } = answer.body;
    return { ...made, transactionId: contribution.transaction_id as string, contribution };
  }

  const draft = ({ partnerId, transactionId }: Of, pointsDelta: bigint, over: object = {}, price?: string) =>
    draftAdjustment(
      database,
      ADA,
      { partnerId, transactionId, ...WHY, pointsDelta, amountDelta: null, reversalOf: null, ...over },
      { pricesOf: priced(price) },
    );
  const approve = (by: Actor, id: Id, price?: string) => approveAdjustment(database, by, id, { pricesOf: priced(price) });
  const approved = async (of: Of, pointsDelta: bigint, over: object = {}, price?: string) =>
    approve(BEA, await draft(of, pointsDelta, over, price), price);
  const post = (id: Id, price?: string) => postAdjustment(database, ADA, id, { pricesOf: priced(price) });
  const posted = async (of: Of, pointsDelta: bigint, over: object = {}, price?: string) =>
    post(await approved(of, pointsDelta, over, price), price);

  /** The events of these kinds, each as the document says. */
  async function eventsOf(client: Client, partnerId: string, kinds = ['impact.transaction.adjusted']): Promise<Answer['body'][]> {
    await untilAllSequenced(database, partnerId);
    const { body, text } = await client.call('/v1/events?limit=500');
    for (const event of JSON.parse(text).events) {
      const { schema } = document.webhooks[event.event_type].post.requestBody.content['application/json'];
      assert.equal(listMisfits(schema, event), '');
    }
    return body.events.filter(({ event_type }: { event_type: string }) => kinds.includes(event_type));
  }

  return { ADA, BEA, one, newPartner, newContribution, draft, approve, approved, post, posted, eventsOf };
}

/** An adjustment is refused, and the details say so with these fields and codes. */
export async function refused(work: Promise<unknown>, ...codes: string[]): Promise<void> {
  const error = await work.then(
    () => assert.fail('It was taken.'),
    (thrown) => thrown,
  );
  assert.equal(error.code, 'invalid_request', error.stack);
  assert.deepEqual(
    error.details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
    codes,
  );
}
