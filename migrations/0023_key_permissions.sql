-- Looks at the keys from before 0021 too, in a transaction of its own: others read and write meanwhile.

alter table api_key validate constraint api_key_permission;
