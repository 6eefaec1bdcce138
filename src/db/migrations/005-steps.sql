-- Commands became lists of steps: their own functions, and older versions of others, are gone. So are the notes of which
-- files made them.
do $$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = current_schema() and p.proname in (
       'append_noop_v1', 'emit_rows_v1', 'bulk_v1', 'change_realm_v1', 'change_account_v1', 'change_folders_v1',
       'change_channels_v1', 'archive_channels_v1', 'set_default_channels_v1', 'set_default_groups_v1',
       'change_defaults_v1', 'note_traffic_v1', 'add_subscribers_v1', 'remove_subscribers_v1', 'create_channels_v1',
       'change_subscriptions_v1', 'change_subscription_settings_v1', 'apply_user_group_v1', 'change_user_groups_v1',
       'reactivate_users_v1', 'change_roles_v1', 'create_users_v2', 'deactivate_users_v2', 'regenerate_keys_v1',
       'send_messages_v1', 'load_realm_v3')
  loop
    execute 'drop function ' || v_function;
  end loop;
end $$;

delete from schema_functions where name in (
  'src/chat/bulk/bulk.sql', 'src/chat/realm/emit-rows.sql', 'src/chat/realm/realm-changes.sql',
  'src/chat/channels/channel-folders.sql', 'src/chat/users/reactivate.sql', 'src/chat/users/roles.sql');
