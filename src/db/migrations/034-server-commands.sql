-- Commands of operators for the server that holds the database.
create table server_command (
  id text primary key,
  command text not null,
  created_at bigint not null,
  taken_at bigint,
  answer text
);
