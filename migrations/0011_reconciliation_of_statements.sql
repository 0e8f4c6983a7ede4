-- Lists of net points and the service's own statements are compared too. All columns are empty in rows that are there.

-- The list was the service's own statement, so that its adjustments and what is carried are looked for in it as well.
alter table reconciliation add column is_statement boolean not null default false;

alter table reconciliation_line
  -- Null for a contribution of a list of the partner's own.
  add column line_type text collate "C",
  add column adjustment_id text collate "C",
  -- Which of the contribution's points the list has.
  add column matched_points text collate "C",
  -- With adjustments.
  add column recorded_net_points bigint,
  -- Points beyond int64, which only what is carried forward may have; then the columns for usual ones are null.
  add column points_beyond_int64 numeric,
  add column recorded_points_beyond_int64 numeric;
