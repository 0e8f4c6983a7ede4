-- What was confirmed and what failed on each day of a partner, added up from its events behind the confirmations: a confirmation writes none of it.
create table day_total (
  partner_id text collate "C" not null,
  -- By the calendar of the partner.
  day date not null,
  point_conversion_version text collate "C" not null,
  confirmed_count bigint not null default 0,
  confirmed_points numeric not null default 0,
  failed_count bigint not null default 0,
  constraint day_total_pkey primary key (partner_id, day, point_conversion_version)
);
-- Every event with this number or a lower one is in the totals.
create table day_total_place (
  partner_id text collate "C" not null,
  through_sequence bigint not null,
  constraint day_total_place_pkey primary key (partner_id)
);
-- A month over all partners.
create index day_total_of_day on day_total (day);
