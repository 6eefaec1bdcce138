/**
 * A database that is used again by another server: its tables are emptied, and the rows of a beginning that was kept earlier
 * are put back, which takes a hundredth of what opening another one does. A beginning is known by a word. It can be
 * written as SQL, to be kept in further databases.
 */

/**
 * Tables are emptied by `delete`: `truncate` makes a new file for each table and index, which takes PGlite ten times as
 * long. What has grown large is truncated all the same, so that no later test walks over its dead rows.
 */
export const clearSql = `
  delete from server_state;
  do $$
  declare
    name regclass;
    grown text;
  begin
    perform set_config('session_replication_role', 'replica', true);
    select string_agg(relation::text, ', ') filter (where pg_relation_size(relation) > 200000) into grown
      from kept.own_table;
    if grown is not null then
      execute (select 'truncate ' || string_agg(relation::text, ', ') from kept.own_table);
    else
      for name in select relation from kept.own_table loop
        execute format('delete from %s', name);
      end loop;
    end if;
  end $$;
  insert into server_state default values;`

/** Lists the program's tables except those with the schema's version. Run once in each database. */
export const prepareSql = `
  create schema kept;
  create view kept.own_table as
    select format('public.%I', tablename)::regclass as relation, tablename as name from pg_tables
     where schemaname = 'public' and tablename not in ('schema_migrations', 'schema_functions', 'server_state');`

const schemaOf = (beginning: string): string => {
  if (!/^[a-z]+$/.test(beginning)) throw new Error(`a beginning is a word, not ${beginning}`)
  return `kept_${beginning}`
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
  end $$;`

/** Puts the rows of a beginning into empty tables. */
export const restoreSql = (beginning: string): string => `
  do $$
  declare
    name text;
  begin
    perform set_config('session_replication_role', 'replica', true);
    for name in select tablename from pg_tables where schemaname = '${schemaOf(beginning)}' loop
      execute format('insert into public.%I select * from ${schemaOf(beginning)}.%I', name, name);
    end loop;
  end $$;`

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
  return [`create schema ${schema};`, ...tables.map(keep)].join("\n")
}
