-- Looks at the lines from before 0010 too, in a transaction of its own: others read and write meanwhile.

alter table settlement_line validate constraint settlement_line_points;
