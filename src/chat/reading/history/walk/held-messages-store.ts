/**
 * Which messages a user holds, as SQL about a message `m`. $1 is the realm, $2 the user. Used by searches and by what
 * shows messages. One row is looked for rather than whether some exist: to find that out of many messages, all rows of
 * the user might be read first.
 */

/** The reader's subscriptions of the channel of `m`, over time. */
export const ownSpan = `subscription_span s
      where s.realm_id = $1::integer and s.user_id = $2::integer and s.channel_id = m.channel_id`

/**
 * Whether the user received the message `m`, or was given it with a new account. Spans do not overlap, so of any number
 * of them two are looked at: the last one before the message, and the next, which may read from earlier.
 */
export const heldBySpan = `case when m.channel_id is null
    then (select c.user_id from conversation_member c
      where c.realm_id = $1::integer and c.user_id = $2::integer and c.conversation_id = m.conversation_id limit 1) is not null
    else coalesce((select s.closed is null or m.channel_since < s.closed from ${ownSpan}
        and s.opened <= m.channel_since order by s.opened desc limit 1), false)
      or coalesce((select s.reads_from <= m.channel_since from ${ownSpan}
        and s.opened > m.channel_since order by s.opened limit 1), false) end`

/** The user's own row `p` about the message, the beginning of a subquery. */
export const personalRow = `select from personal_message p
      where p.realm_id = $1::integer and p.user_id = $2::integer and p.message_id = m.id`

/** Whether the user held it in a channel that it has left since, and may read it where it is (kept-places.sql). */
export const isKeptSql = `coalesce(m.channel_since <> m.id and (select k.message_id from kept_place k
      where k.realm_id = $1::integer and k.message_id = m.id limit 1) is not null
    and keeps_v1($1::integer, $2::integer, m.id, m.channel_id), false)`

/** Whether the user holds the message `m`: as above, or because they have a row of their own about it, or kept it. */
export const isHeldSql = `(${heldBySpan} or (select p.user_id from personal_message p
      where p.realm_id = $1::integer and p.user_id = $2::integer and p.message_id = m.id limit 1) is not null or ${isKeptSql})`

/** The same of another user than $2, of whom many may be asked by one statement: `user` is SQL for their id. */
export const isHeldBySql = (user: string): string => isHeldSql.replaceAll("$2::integer", user)
