-- Whether there is room to write: takes 256 KB of disk and of the write-ahead log, as commits do, and gives them back. An
-- update of a row would not do: it finds room in the pages that there are. The table is new each time for that reason;
-- nobody else sees it.
create or replace function probe_writes_v1() returns boolean language plpgsql as $$
begin
  create table write_probe (filler text);
  alter table write_probe alter column filler set storage external;
  execute $q$ insert into write_probe values (repeat('x', 262144)) $q$;
  drop table write_probe;
  return true;
end $$;
