-- The bounds of ranges of ids. SQL's own functions for them have the names of those that change the case of letters, which
-- no other file may call.

create or replace function first_of_v1(p_range int8range) returns bigint language sql immutable as $$
  select lower(p_range)
$$;

-- The id after the last one; null for a range without an end.
create or replace function end_of_v1(p_range int8range) returns bigint language sql immutable as $$
  select upper(p_range)
$$;
