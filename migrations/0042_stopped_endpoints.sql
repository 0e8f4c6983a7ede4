-- Which delivery's attempt stopped an endpoint, so that whoever mends the receiver finds it.

-- The one that last opened the circuit or disabled the endpoint; null where an operator disabled it.
alter table endpoint_health add column stopped_by text collate "C";
