-- Relay and dispatcher find work by what waits: a partner who does nothing costs nothing.

-- The events without a number, of all partners, the oldest first.
-- On a table with rows src/store/schema/build-indexes.ts has built it before this begins, while others went on writing.
create index if not exists event_outbox_waiting_next on event_outbox (written_by, position, partner_id);
alter index event_outbox_waiting_next rename to event_outbox_waiting;

-- Deliveries of an endpoint may be due until then; of any other endpoint none is.
create table endpoint_watch (
  partner_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  watched_until timestamptz(3) not null,
  constraint endpoint_watch_pkey primary key (partner_id, endpoint_id)
);
create index endpoint_watch_until on endpoint_watch (watched_until);
