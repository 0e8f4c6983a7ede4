-- What a partner records: contributions, estimates and the links between them.
-- partner_id stands first in every key, so that the tables can be distributed by it.

create table contribution (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  partner_event_id text collate "C" not null,
  partner_order_ref text collate "C" not null,
  points bigint not null,
  opaque_customer_ref text collate "C",
  status text collate "C" not null,
  first_status text collate "C" not null,
  contribution_rule_version text collate "C" not null,
  point_conversion_version text collate "C" not null,
  tree_cost_version text collate "C" not null,
  summary_en text not null,
  summary_ar text not null,
  calculation_id text collate "C",
  association_outcome text collate "C" not null,
  rejection_code text collate "C",
  failure_reason text,
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  failed_at timestamptz(3),
  constraint contribution_pkey primary key (partner_id, transaction_id),
  constraint contribution_idempotency_key unique (partner_id, idempotency_key),
  constraint contribution_partner_event unique (partner_id, partner_event_id),
  constraint contribution_fingerprint_length check (length(fingerprint) = 32),
  constraint contribution_points check (points >= 1),
  constraint contribution_status check (
    (status = 'pending' and confirmed_at is null and failed_at is null)
    or (status = 'confirmed' and confirmed_at is not null and failed_at is null)
    or (status = 'failed' and confirmed_at is null and failed_at is not null and failure_reason is not null)
  ),
  constraint contribution_first_status check (
    first_status = 'pending' or (first_status = 'confirmed' and status = 'confirmed')
  ),
  constraint contribution_association check (
    (association_outcome = 'rejected') = (rejection_code is not null)
    and association_outcome in ('not_requested', 'associated', 'rejected')
    and (association_outcome <> 'associated' or (calculation_id is not null and status = 'confirmed'))
  )
);

-- One order confirms once. A pending contribution holds its order; a failed one has freed it.
create unique index contribution_order_holder on contribution (partner_id, partner_order_ref)
  where status in ('pending', 'confirmed');

create table estimate (
  partner_id text collate "C" not null,
  calculation_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  partner_order_ref text collate "C" not null,
  distance_km text collate "C" not null,
  vehicle_category text collate "C" not null,
  methodology_version text collate "C" not null,
  vehicle_catalog_version text collate "C" not null,
  emission_factor_version text collate "C" not null,
  emission_factor_gco2e_per_km numeric not null,
  lifecycle_boundary text collate "C" not null,
  raw_emissions_gco2e numeric not null,
  estimated_emissions_kgco2e numeric not null,
  calculated_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint estimate_pkey primary key (partner_id, calculation_id),
  constraint estimate_idempotency_key unique (partner_id, idempotency_key),
  constraint estimate_fingerprint_length check (length(fingerprint) = 32),
  constraint estimate_emissions check (emission_factor_gco2e_per_km > 0 and raw_emissions_gco2e > 0)
);

-- The snapshot of an estimate at the moment of its association; authoritative from then on.
-- A link made by a confirmation has no key of its own: the contribution carries it.
create table emissions_link (
  partner_id text collate "C" not null,
  transaction_id text collate "C" not null,
  association_id text collate "C" not null,
  calculation_id text collate "C" not null,
  idempotency_key text collate "C",
  fingerprint bytea,
  partner_order_ref text collate "C" not null,
  estimated_emissions_kgco2e numeric not null,
  distance_km text collate "C" not null,
  vehicle_category text collate "C" not null,
  methodology_version text collate "C" not null,
  emission_factor_version text collate "C" not null,
  calculated_at timestamptz(3) not null,
  associated_at timestamptz(3) not null,
  constraint emissions_link_one_per_contribution primary key (partner_id, transaction_id),
  constraint emissions_link_one_per_estimate unique (partner_id, calculation_id),
  constraint emissions_link_idempotency_key unique (partner_id, idempotency_key),
  constraint emissions_link_contribution foreign key (partner_id, transaction_id) references contribution (partner_id, transaction_id),
  constraint emissions_link_estimate foreign key (partner_id, calculation_id) references estimate (partner_id, calculation_id),
  constraint emissions_link_key_with_fingerprint check ((idempotency_key is null) = (fingerprint is null))
);

-- The only way on is pending -> confirmed or failed, and nothing but the outcome changes with it.
create function guard_contribution() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    raise exception 'a contribution is not recorded as failed' using errcode = 'restrict_violation';
  end if;
  if old.status <> 'pending' or new.status not in ('confirmed', 'failed') then
    raise exception 'a contribution does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if (new.partner_id, new.transaction_id, new.idempotency_key, new.fingerprint, new.partner_event_id, new.partner_order_ref,
      new.points, new.opaque_customer_ref, new.first_status, new.contribution_rule_version, new.point_conversion_version, new.tree_cost_version,
      new.summary_en, new.summary_ar, new.calculation_id, new.created_at)
     is distinct from
     (old.partner_id, old.transaction_id, old.idempotency_key, old.fingerprint, old.partner_event_id, old.partner_order_ref,
      old.points, old.opaque_customer_ref, old.first_status, old.contribution_rule_version, old.point_conversion_version, old.tree_cost_version,
      old.summary_en, old.summary_ar, old.calculation_id, old.created_at) then
    raise exception 'only the outcome of a pending contribution may change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger contribution_is_not_born_failed before insert on contribution
  for each row when (new.status = 'failed') execute function guard_contribution();
create trigger contribution_transition before update on contribution for each row execute function guard_contribution();
create trigger contribution_is_kept before delete on contribution for each row execute function refuse_change();
create trigger estimate_is_immutable before update or delete on estimate for each row execute function refuse_change();
create trigger emissions_link_is_immutable before update or delete on emissions_link for each row execute function refuse_change();
