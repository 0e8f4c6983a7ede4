-- What waits for operators is found over all partners, in the order of its time; none of it is written by a usual confirmation.
-- On a table with rows src/store/schema/build-indexes.ts has built each before this begins, while others went on writing.

create index if not exists contribution_review_waiting_next on contribution_review (opened_at, transaction_id) where resolved_at is null;
alter index contribution_review_waiting_next rename to contribution_review_waiting;

-- With `contribution_order_holder`, the history of an order.
create index if not exists contribution_failed_of_order_next on contribution (partner_id, partner_order_ref) where status = 'failed';
alter index contribution_failed_of_order_next rename to contribution_failed_of_order;

create index if not exists adjustment_waiting_next on adjustment (status, adjustment_id) where status in ('draft', 'approved');
alter index adjustment_waiting_next rename to adjustment_waiting;

create index if not exists adjustment_latest_next on adjustment (adjustment_id);
alter index adjustment_latest_next rename to adjustment_latest;

create index if not exists failure_draft_latest_next on failure_draft (failure_id);
alter index failure_draft_latest_next rename to failure_draft_latest;

create index if not exists settlement_closed_next on settlement (closed_at, settlement_id) where status = 'closed';
alter index settlement_closed_next rename to settlement_closed;

create index if not exists settlement_disputed_next on settlement_acknowledgement (acknowledged_at, settlement_id) where status = 'disputed';
alter index settlement_disputed_next rename to settlement_disputed;
