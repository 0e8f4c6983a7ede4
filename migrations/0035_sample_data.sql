-- Whether this database has sample data: made once, in a sandbox, and removed together with the database that holds them.
create table sample_data (
  is_only boolean not null default true,
  status text not null,
  ends_at timestamptz(3) not null,
  partner_ids text[] collate "C" not null default '{}',
  operator_ids text[] collate "C" not null default '{}',
  constraint sample_data_only_one primary key (is_only),
  constraint sample_data_is_only check (is_only),
  constraint sample_data_status check (status in ('making', 'made', 'stopped', 'removed'))
);
