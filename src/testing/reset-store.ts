/**
 * A database that is used again by another server: its tables are emptied, and the rows of a beginning that was kept earlier
 * are put back, which takes a hundredth of what opening another one does. A beginning is known by a word. It can be
 * written as SQL, to be kept in further databases.
 */

/**
 * Run once in each database: lists the program's tables except those with the schema's version, those that others refer to
 * first, and makes a function that empties them. It is a function, and says each table, because the database then keeps how
 * that is done; and it leaves `session_replication_role` alone, because a change of that forgets all that is kept so.
 *
 * Tables are emptied by `delete`: `truncate` makes a new file for each table and index, which takes PGlite ten times as
 * long. What has grown large is truncated all the same, so that no later test walks over its dead rows. To look at all sizes
 * takes PGlite as long as all the rest: the log and the accounts are looked at each time, the others when these are large,
 * and now and then.
 *
 * PostgreSQL must not count their rows: a session keeps its plans, and one that was made for a table of seven accounts reads
 * all of it for each of the ten thousand that a later test puts in. Of a table that nobody has counted it thinks larger.
 */
export const prepareSql = `
  create schema kept;
  create table kept.own_table as
    with recursive own as (
      select format('public.%I', tablename)::regclass as relation, tablename as name from pg_tables
       where schemaname = 'public' and tablename not in ('schema_migrations', 'schema_functions', 'server_state')),
    reference as (
      select conrelid as child, confrelid as parent from pg_constraint where contype = 'f' and conrelid <> confrelid),
    below as (
      select relation::oid as relation, 0 as depth from own
      union
      select r.child, b.depth + 1 from below b join reference r on r.parent = b.relation where b.depth < 20)
    select own.relation, own.name, max(b.depth) as depth,
           exists (select from reference where parent = own.relation) as is_parent
      from own join below b on b.relation = own.relation group by own.relation, own.name;
  create sequence kept.clearing;
  do $prepare$
  declare
    own regclass;
  begin
    for own in select relation from kept.own_table loop
      execute format('alter table %s set (autovacuum_enabled = false)', own);
    end loop;
    execute (select format('create function kept.clear() returns void language plpgsql as $clear$
      declare
        grown regclass[];
      begin
        if pg_relation_size(''public.log'') > 200000 or pg_relation_size(''public.account'') > 200000
          or nextval(''kept.clearing'') %% 16 = 0
        then
          grown := array(select relation from kept.own_table where pg_relation_size(relation) > 200000);
        end if;
        if cardinality(grown) > 0 then
          execute (select ''truncate '' || string_agg(relation::text, '', '') from kept.own_table
                    where relation = any(grown)
                       or exists (select from kept.own_table where is_parent and relation = any(grown)));
        end if;
        %s
        delete from server_state;
        insert into server_state default values;
      end $clear$', string_agg(format('delete from %s;', relation), ' ' order by depth desc)) from kept.own_table);
  end $prepare$;`

export const clearSql = "select kept.clear()"

const schemaOf = (beginning: string): string => {
  if (!/^[a-z]+$/.test(beginning)) throw new Error(`a beginning is a word, not ${beginning}`)
  return `kept_${beginning}`
}

/** Makes the function that puts the rows of a beginning into empty tables, when they are kept. */
const makeRestoring = (beginning: string): string => {
  const schema = schemaOf(beginning)
  return `
  do $make$
  declare
    each record;
    has_rows boolean;
    restores text := '';
  begin
    for each in
      select * from kept.own_table join pg_tables on schemaname = '${schema}' and tablename = name order by depth
    loop
      execute format('select exists (select from ${schema}.%I)', each.name) into has_rows;
      continue when not has_rows;
      restores := restores || format('insert into %s select * from ${schema}.%I;', each.relation, each.name);
    end loop;
    execute format('create function ${schema}.restore() returns void language plpgsql as $restore$ begin %s end $restore$', restores);
  end $make$;`
}

/** Keeps the present rows as a beginning, for `restoreSql`. */
export const keepSql = (beginning: string): string => `
  create schema ${schemaOf(beginning)};
  do $$
  declare
    name text;
  begin
    for name in select own_table.name from kept.own_table loop
      execute format('create table ${schemaOf(beginning)}.%I as table public.%I', name, name);
    end loop;
  end $$;
  ${makeRestoring(beginning)}`

/** Empties the tables, and puts the rows of a beginning into them. */
export const restoreSql = (beginning: string): string => `select kept.clear(), ${schemaOf(beginning)}.restore()`

/** Asks for the names of the tables. */
export const namesSql = "select name from kept.own_table order by name"

/** Asks for the present rows of these tables: one row for each that has some, with `name` and `rows`, a JSON text. */
export const rowsSql = (names: ReadonlyArray<string>): string =>
  `select * from (${names
    .map((name) => `select '${name}' as name, (select json_agg(t)::text from public."${name}" t) as rows`)
    .join(" union all ")}) tables where rows is not null`

/** Keeps rows that another database has told of by `rowsSql`. */
export const keepToldSql = (
  beginning: string,
  tables: ReadonlyArray<{ readonly name: string; readonly rows: string }>,
): string => {
  const schema = schemaOf(beginning)
  const quote = "$of_another_database$"
  const keep = ({ name, rows }: { readonly name: string; readonly rows: string }) =>
    `create table ${schema}."${name}" as
       select * from json_populate_recordset(null::public."${name}", ${quote}${rows}${quote});`
  return [`create schema ${schema};`, ...tables.map(keep), makeRestoring(beginning)].join("\n")
}
