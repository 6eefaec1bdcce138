-- Files of functions are known by their names without folders, so that one may move. Of a name that stands here twice, as of
-- a file that moved before, nobody knows which text is the newer one: its functions are created anew.
delete from schema_functions f
 where exists (select from schema_functions o
                where o.name <> f.name and regexp_replace(o.name, '^.*/', '') = regexp_replace(f.name, '^.*/', ''));
update schema_functions set name = regexp_replace(name, '^.*/', '') where name like '%/%';
