-- The run of a job that an operator asked the service for: the number of the job's next run then.

alter table job add column requested_run_no bigint;
