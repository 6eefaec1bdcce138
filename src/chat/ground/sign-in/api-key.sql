-- API keys. A key is derived from its version, so nothing else is stored.

-- Applies rows of the type api_key: the version of the only valid key from now on. Devices were registered with the old one.
create or replace function apply_api_key_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  update account set key_version = (p_payload ->> 'key_version')::integer
   where realm_id = p_realm and id = (p_payload ->> 'user_id')::integer;
  perform forget_devices_v1(p_realm, (p_payload ->> 'user_id')::integer);
  -- Maybe somebody else had the old one, and has wished for another address by it.
  perform end_account_links_v1(p_realm, (p_payload ->> 'user_id')::integer, null);
  return null;
end $$;
