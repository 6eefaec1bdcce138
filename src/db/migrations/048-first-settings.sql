-- New accounts begin with settings of their organization, which the row about them carries.
drop function if exists apply_realm_user_v2(integer, bigint, jsonb, jsonb);
