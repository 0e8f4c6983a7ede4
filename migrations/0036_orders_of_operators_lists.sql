-- Each order and each usual filter of a list of operators has an index; none of them is written by a usual confirmation or delivery.
-- On a table with rows src/store/schema/build-indexes.ts has built each before this begins, while others went on writing.

create index if not exists partner_named_next on partner (lower(name), partner_id);
alter index partner_named_next rename to partner_named;

-- What waits for a review, by its points: a row of it is gone when the contribution is decided.
create index if not exists contribution_pending_points_next on contribution (points, transaction_id) where status = 'pending';
alter index contribution_pending_points_next rename to contribution_pending_points;

create index if not exists contribution_pending_points_of_next on contribution (partner_id, points, transaction_id) where status = 'pending';
alter index contribution_pending_points_of_next rename to contribution_pending_points_of;

create index if not exists failure_draft_points_next on failure_draft (points, failure_id);
alter index failure_draft_points_next rename to failure_draft_points;

create index if not exists failure_draft_points_of_next on failure_draft (partner_id, points, failure_id);
alter index failure_draft_points_of_next rename to failure_draft_points_of;

create index if not exists adjustment_points_next on adjustment (points_delta, adjustment_id);
alter index adjustment_points_next rename to adjustment_points;

create index if not exists adjustment_points_of_next on adjustment (partner_id, points_delta, adjustment_id);
alter index adjustment_points_of_next rename to adjustment_points_of;

create index if not exists adjustment_waiting_points_next on adjustment (status, points_delta, adjustment_id) where status in ('draft', 'approved');
alter index adjustment_waiting_points_next rename to adjustment_waiting_points;

create index if not exists settlement_closed_points_next on settlement ((gross_points + adjustment_points), settlement_id) where status = 'closed';
alter index settlement_closed_points_next rename to settlement_closed_points;

create index if not exists settlement_closed_amount_next on settlement (currency, exact_amount, settlement_id)
  where status = 'closed' and exact_amount is not null;
alter index settlement_closed_amount_next rename to settlement_closed_amount;

create index if not exists settlement_closed_period_next on settlement (period_label, closed_at, settlement_id) where status = 'closed';
alter index settlement_closed_period_next rename to settlement_closed_period;

-- Adjustments and what is carried are few among the lines.
create index if not exists settlement_line_other_next on settlement_line (partner_id, settlement_id, line_no) where line_type <> 'contribution';
alter index settlement_line_other_next rename to settlement_line_other;

create index if not exists webhook_endpoint_latest_next on webhook_endpoint (endpoint_id) where status <> 'removed';
alter index webhook_endpoint_latest_next rename to webhook_endpoint_latest;

create index if not exists webhook_endpoint_disabled_next on webhook_endpoint (endpoint_id) where status = 'disabled';
alter index webhook_endpoint_disabled_next rename to webhook_endpoint_disabled;

-- Written when an endpoint begins to fail and when it is well again.
create index if not exists endpoint_health_failing_next on endpoint_health (endpoint_id) where failing_since is not null;
alter index endpoint_health_failing_next rename to endpoint_health_failing;

create index if not exists endpoint_health_failing_since_next on endpoint_health (failing_since, endpoint_id) where failing_since is not null;
alter index endpoint_health_failing_since_next rename to endpoint_health_failing_since;

create index if not exists impact_batch_quantity_next on impact_batch (quantity, impact_batch_id);
alter index impact_batch_quantity_next rename to impact_batch_quantity;

create index if not exists audit_entry_recorded_next on audit_entry (recorded_at, entry_no);
alter index audit_entry_recorded_next rename to audit_entry_recorded;

create index if not exists audit_entry_of_operator_next on audit_entry (operator_id, entry_no);
alter index audit_entry_of_operator_next rename to audit_entry_of_operator;

create index if not exists audit_entry_of_action_next on audit_entry (action, entry_no);
alter index audit_entry_of_action_next rename to audit_entry_of_action;

create index if not exists job_run_latest_next on job_run (started_at, job_name, run_no);
drop index job_run_started;
alter index job_run_latest_next rename to job_run_latest;
