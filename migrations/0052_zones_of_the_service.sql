-- The time zone of a partner is read by the service alone. A server that lost the name of one, as by another package of zones, refused each
-- later change of its partner, and a dump with it could not be restored there.

alter table partner drop constraint if exists partner_time_zone;
