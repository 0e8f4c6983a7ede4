-- What a settlement carries into the next is a sum, which may be below int64. Such a line alone has its points in a column of its own, so that
-- no table of lines is written anew.

alter table settlement_line add column points_beyond_int64 numeric;
alter table settlement_line alter column points drop not null;
-- Lines from before have points, without a second look at each.
alter table settlement_line add constraint settlement_line_points check (
  (points is null) <> (points_beyond_int64 is null) and (points_beyond_int64 is null or line_type = 'carried_forward')
) not valid;
