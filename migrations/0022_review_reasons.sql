-- Looks at the reviews from before 0021 too, in a transaction of its own: others read and write meanwhile.

alter table contribution_review validate constraint contribution_review_reason;
