-- Functions of older programs: the long lists of an organization are read in columns, as they lie on the disk.
drop function if exists load_users_v2(integer, jsonb, integer);
drop function if exists load_roles_v2(integer, jsonb, integer);
drop function if exists load_subscriptions_v3(integer, jsonb, integer);
drop function if exists load_subscription_settings_v2(integer, jsonb, integer);
