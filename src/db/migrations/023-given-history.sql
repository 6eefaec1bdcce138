-- Functions of older programs: messages are given to a new account by a row, and the projection knows of them.
drop function if exists give_history_v1(integer, jsonb);
drop function if exists load_subscriptions_v2(integer, jsonb, integer);
