-- Relay and dispatcher start where live rows begin, so that rows which an open snapshot keeps are not read again each time.

-- The transaction that wrote the event. What a snapshot showed as ended has no event to come.
alter table event_outbox add column written_by xid8 not null default pg_current_xact_id();
alter table event_outbox drop constraint event_outbox_pkey;
alter table event_outbox add constraint event_outbox_pkey primary key (partner_id, written_by, position);

-- No waiting delivery of the endpoint is due earlier, as far as is known.
alter table endpoint_health add column due_from timestamptz(3) not null default '1970-01-01 00:00:00+00';
