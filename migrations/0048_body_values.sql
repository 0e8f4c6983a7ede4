-- The body of a confirmation's event is stored as the values that its row lacks. Bodies that are packed, and texts of earlier releases,
-- stay where they are.
alter table event add column body_values text;
