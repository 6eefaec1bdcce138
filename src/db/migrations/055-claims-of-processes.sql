-- Where several processes serve the database: which of them does a job that one is enough for (src/jobs/job-runs.ts), an unfinished
-- command (src/chat/ground/bulk), or the thumbnails of a picture (src/chat/changing/thumbnails), and until when unless it says so again.
create table if not exists job_run (
  name text primary key,
  process text not null,
  until bigint not null
);
alter table unfinished_work add column if not exists claimed_by text;
alter table unfinished_work add column if not exists claimed_until bigint not null default 0;
alter table thumbnail_work add column if not exists claimed_by text;
alter table thumbnail_work add column if not exists claimed_until bigint not null default 0;
