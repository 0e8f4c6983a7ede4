-- Looks at the deliveries from before 0039 too, in a transaction of its own: others read and write meanwhile.

alter table delivery validate constraint delivery_status;
