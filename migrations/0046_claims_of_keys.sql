-- A refusal frees the key only of the process that claimed it last: another one may have taken the work over meanwhile.
alter table keyed_answer add column claim_id text collate "C";
