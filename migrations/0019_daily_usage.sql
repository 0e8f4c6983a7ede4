-- What each partner stores in a day is counted, and bounded where it may be refused.

-- A partner without a row has the service's own bounds.
create table partner_quota (
  partner_id text collate "C" not null,
  bytes_per_day bigint not null,
  lists_per_day integer not null,
  constraint partner_quota_pkey primary key (partner_id),
  constraint partner_quota_of_partner foreign key (partner_id) references partner (partner_id),
  constraint partner_quota_positive check (bytes_per_day > 0 and lists_per_day > 0)
);

create table daily_usage (
  partner_id text collate "C" not null,
  -- By UTC, whatever the partner's calendar.
  day date not null,
  -- About what its contributions, estimates and lists of the day take on disk, with their indexes.
  stored_bytes bigint not null default 0,
  -- Lists that were begun, whatever became of them.
  lists integer not null default 0,
  constraint daily_usage_pkey primary key (partner_id, day)
);
