-- Who may call: the installation's environment, the partners and their API keys. Small tables, never distributed.

create table installation (
  is_only boolean not null default true,
  environment text not null,
  created_at timestamptz(3) not null default now(),
  constraint installation_only_one primary key (is_only),
  constraint installation_only_one_row check (is_only),
  constraint installation_environment check (environment in ('sandbox', 'production'))
);

create table partner (
  partner_id text collate "C" not null,
  name text not null,
  writes_per_second integer not null,
  lookups_per_second integer not null,
  reports_per_second integer not null,
  created_at timestamptz(3) not null default now(),
  suspended_at timestamptz(3),
  constraint partner_pkey primary key (partner_id),
  constraint partner_name_length check (length(name) between 1 and 200),
  constraint partner_rates check (writes_per_second > 0 and lookups_per_second > 0 and reports_per_second > 0)
);

create table api_key (
  key_id text collate "C" not null,
  partner_id text collate "C" not null,
  secret_sha256 bytea not null,
  name text not null,
  permission text not null,
  allowed_addresses text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  constraint api_key_pkey primary key (key_id),
  constraint api_key_of_partner foreign key (partner_id) references partner (partner_id),
  constraint api_key_secret_length check (length(secret_sha256) = 32),
  constraint api_key_permission check (permission in ('read_write', 'read_only'))
);
create index api_key_by_partner on api_key (partner_id);

-- Contributions name their partner without a foreign key (a lock on one hot row for each insert), so a partner must stay.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is not allowed on %: its rows are kept for good', lower(tg_op), tg_table_name
    using errcode = 'restrict_violation';
end $$;

create trigger partner_is_kept before delete on partner for each row execute function refuse_change();
