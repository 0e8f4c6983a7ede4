-- What becomes of the contributions: projects, impact batches, their evidence and their history.
-- All small and never distributed, but for the table that names the settlements of a batch.

create table project (
  project_id text collate "C" not null,
  name_en text not null,
  name_ar text not null,
  country text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint project_pkey primary key (project_id),
  constraint project_country check (country ~ '^[A-Z]{2}$')
);
create trigger project_is_kept before update or delete on project for each row execute function refuse_change();

create table impact_batch (
  impact_batch_id text collate "C" not null,
  -- For operators; partners do not see it.
  name text not null,
  status text collate "C" not null default 'recorded',
  -- Counts the changes, from 0.
  change_no integer not null default 0,
  project_id text collate "C",
  -- Whole trees.
  quantity bigint not null,
  delayed_at timestamptz(3),
  expected_delivery_period text collate "C",
  delivered_by text collate "C",
  verified_by text collate "C",
  created_at timestamptz(3) not null,
  -- When it came to its status.
  status_at timestamptz(3) not null,
  constraint impact_batch_pkey primary key (impact_batch_id),
  constraint impact_batch_project foreign key (project_id) references project (project_id),
  constraint impact_batch_quantity check (quantity >= 0),
  constraint impact_batch_status check (status in ('recorded', 'allocated', 'funded', 'in_progress', 'delivered', 'verified')),
  constraint impact_batch_allocated check ((status = 'recorded') = (project_id is null)),
  constraint impact_batch_delivered check ((status in ('delivered', 'verified')) = (delivered_by is not null)),
  constraint impact_batch_verified check ((status = 'verified') = (verified_by is not null)),
  constraint impact_batch_two_people check (verified_by <> delivered_by),
  constraint impact_batch_delay check ((delayed_at is null) = (expected_delivery_period is null))
);

-- What was recorded of a batch, as partners were told.
create table impact_batch_change (
  impact_batch_id text collate "C" not null,
  change_no integer not null,
  change_type text collate "C" not null,
  previous_status text collate "C" not null,
  status text collate "C" not null,
  project_id text collate "C",
  quantity bigint not null,
  expected_delivery_period text collate "C",
  reason text,
  operator_id text collate "C" not null,
  occurred_at timestamptz(3) not null,
  constraint impact_batch_change_pkey primary key (impact_batch_id, change_no),
  constraint impact_batch_change_batch foreign key (impact_batch_id) references impact_batch (impact_batch_id),
  constraint impact_batch_change_type check (change_type in ('advanced', 'delayed', 'reallocated', 'evidence_added', 'corrected'))
);

create table impact_evidence (
  impact_batch_id text collate "C" not null,
  evidence_no integer not null,
  type text collate "C" not null,
  url text collate "C" not null,
  file_name text not null,
  byte_count bigint not null,
  sha256 text collate "C" not null,
  captured_at timestamptz(3) not null,
  added_by text collate "C" not null,
  added_at timestamptz(3) not null,
  constraint impact_evidence_pkey primary key (impact_batch_id, evidence_no),
  -- The same file counts once.
  constraint impact_evidence_file unique (impact_batch_id, sha256),
  constraint impact_evidence_batch foreign key (impact_batch_id) references impact_batch (impact_batch_id),
  constraint impact_evidence_sha256 check (sha256 ~ '^[0-9a-f]{64}$')
);

-- The settlements whose contributions a batch pools. A settlement is in one batch, for good, and so are its contributions: none of
-- them has a row of its own here. partner_id stands first, so that the table can be distributed by it.
create table impact_batch_settlement (
  partner_id text collate "C" not null,
  settlement_id text collate "C" not null,
  impact_batch_id text collate "C" not null,
  contribution_count bigint not null,
  added_at timestamptz(3) not null,
  constraint impact_batch_settlement_pkey primary key (partner_id, settlement_id),
  constraint impact_batch_settlement_count check (contribution_count >= 1)
);
create index impact_batch_settlement_of on impact_batch_settlement (impact_batch_id, partner_id, settlement_id);

-- One step at a time, and back to `allocated` alone; nothing leaves `verified`, which needs evidence.
create function guard_impact_batch() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and (old.status, new.status) not in (
    ('recorded', 'allocated'), ('allocated', 'funded'), ('funded', 'in_progress'), ('in_progress', 'delivered'), ('delivered', 'verified'),
    ('funded', 'allocated'), ('in_progress', 'allocated')
  ) then
    raise exception 'an impact batch does not go from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if new.status = 'verified' and not exists (select from impact_evidence where impact_batch_id = new.impact_batch_id) then
    raise exception 'an impact batch is not verified without evidence' using errcode = 'restrict_violation';
  end if;
  if (new.impact_batch_id, new.name, new.created_at) is distinct from (old.impact_batch_id, old.name, old.created_at)
     or new.change_no <> old.change_no + 1
     or (old.status in ('delivered', 'verified') and new.delivered_by is distinct from old.delivered_by)
     or (old.status = 'verified' and (new.verified_by, new.project_id) is distinct from (old.verified_by, old.project_id)) then
    raise exception 'an impact batch keeps what it was made with, and who delivered and verified it' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger impact_batch_transition before update on impact_batch for each row execute function guard_impact_batch();
create trigger impact_batch_is_kept before delete on impact_batch for each row execute function refuse_change();
create trigger impact_batch_change_is_kept before update or delete on impact_batch_change
  for each row execute function refuse_change();
create trigger impact_evidence_is_kept before update or delete on impact_evidence for each row execute function refuse_change();
create trigger impact_batch_settlement_is_kept before update or delete on impact_batch_settlement
  for each row execute function refuse_change();
