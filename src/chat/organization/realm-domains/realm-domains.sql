-- Domains of an organization's addresses.

create or replace function load_realm_domains_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('id', id, 'domain', domain, 'allow_subdomains', allow_subdomains) order by id), '[]')
    from realm_domain where realm_id = p_realm
$$;

-- Applies rows of the type realm_domains.
create or replace function apply_realm_domains_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  if p_payload ->> 'op' = 'remove' then
    delete from realm_domain where realm_id = p_realm and domain = p_payload ->> 'domain';
  else
    insert into realm_domain (realm_id, domain, id, allow_subdomains)
    values (p_realm, p_payload #>> '{record,domain}', (p_payload #>> '{record,id}')::integer,
            (p_payload #>> '{record,allow_subdomains}')::boolean)
    on conflict (realm_id, domain) do update set allow_subdomains = excluded.allow_subdomains;
  end if;
  return null;
end $$;
