-- Under which key a partner's clock was advanced last: a request that is repeated after its process died advances nothing more.
alter table sandbox_clock add column advanced_under text collate "C";
