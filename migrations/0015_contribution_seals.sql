-- Contributions carry a seal under AUDIT_KEY, so that an edit by whoever may write everything in the database is found before it is settled.
-- Null in rows from before, until the service has sealed them; both columns are added without rewriting the table.

alter table contribution add column seal bytea;
alter table contribution add column seal_key text collate "C";

create or replace function guard_contribution() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.first_status = 'failed' and new.failure_drafted_by <> new.failure_approved_by then
      return new;
    end if;
    raise exception 'a contribution is recorded as failed by two operators only' using errcode = 'restrict_violation';
  end if;
  -- A seal may be set by itself: it says what the row says, and only a key outside the database makes it.
  if new.status = old.status
     and (to_jsonb(new) - '{seal,seal_key}'::text[]) = (to_jsonb(old) - '{seal,seal_key}'::text[]) then
    return new;
  end if;
  if old.status <> 'pending' or new.status not in ('confirmed', 'failed') then
    raise exception 'a contribution does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if (new.partner_id, new.transaction_id, new.idempotency_key, new.fingerprint, new.partner_event_id, new.partner_order_ref,
      new.points, new.opaque_customer_ref, new.first_status, new.contribution_rule_version, new.point_conversion_version, new.tree_cost_version,
      new.summary_en, new.summary_ar, new.calculation_id, new.correlation_id, new.created_at, new.failure_drafted_by, new.failure_approved_by)
     is distinct from
     (old.partner_id, old.transaction_id, old.idempotency_key, old.fingerprint, old.partner_event_id, old.partner_order_ref,
      old.points, old.opaque_customer_ref, old.first_status, old.contribution_rule_version, old.point_conversion_version, old.tree_cost_version,
      old.summary_en, old.summary_ar, old.calculation_id, old.correlation_id, old.created_at, old.failure_drafted_by, old.failure_approved_by) then
    raise exception 'only the outcome of a pending contribution may change' using errcode = 'restrict_violation';
  end if;
  -- A process of the release before ends a contribution without a new seal: the old one would say that the row was edited.
  if new.seal = old.seal then
    new.seal := null;
    new.seal_key := null;
  end if;
  return new;
end $$;
