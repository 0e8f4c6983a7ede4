-- Who changed what. Entries are appended only; each carries an HMAC over itself and the entry before it.
create table audit_entry (
  entry_no bigint not null,
  recorded_at timestamptz(3) not null,
  operator_id text collate "C" not null,
  role text collate "C" not null,
  action text collate "C" not null,
  partner_id text collate "C",
  subject_id text collate "C" not null,
  before_json text,
  after_json text,
  correlation_id text collate "C" not null,
  mac text collate "C" not null,
  constraint audit_entry_pkey primary key (entry_no)
);

-- The end of the chain: whoever appends holds this row.
create table audit_head (
  only_row boolean not null default true,
  last_no bigint not null,
  last_mac text collate "C" not null,
  constraint audit_head_pkey primary key (only_row),
  constraint audit_head_single check (only_row)
);
insert into audit_head (last_no, last_mac) values (0, '');
