-- What a request with a key makes has its unique part from here, so that whoever takes the work over makes nothing twice.
alter table keyed_answer add column work_id text collate "C";
