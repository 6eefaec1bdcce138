/**
 * Unread messages as SQL knows them by ways of its own, for one message and all users or for a range of ids and one
 * user, asked directly: it must be as the rows (rows.ts) say. Clients are shown some of it only now and then.
 */
import type { Test } from "tap"
import { idsOf } from "../../../../../src/chat/ground/realm/id-ranges.ts"
import type { TestServer } from "../../../../kit/with-server.ts"
import { people } from "./people.ts"
import type { Rows } from "./rows.ts"

// Direct messages: their participants are asked about, as the endpoint does.
const ofMessages = `
  select m.id, coalesce(message_flags_v1(m.realm_id, m.id, null) ->> 'unread', '{}') as unread,
         readers_v1(m.realm_id, m.id, coalesce(
           (select string_to_array(v.member_key, ',')::integer[] from conversation v
             where v.realm_id = m.realm_id and v.id = m.conversation_id),
           string_to_array($2::text, ',')::integer[]))::text as readers
    from message m where m.realm_id = $1::integer order by m.id`

const ofUsers = `
  select id from unread_ids_v1($1::integer, $2::integer, 0, log_head_v1($1::integer) + 1)
  union select message_id from unread_rows_v1($1::integer, $2::integer) order by id`

export const compareInSql = async (t: Test, server: TestServer, rows: Rows, label: string): Promise<void> => {
  const { realmId } = server
  const all = people.map(server.idOf).join(",")
  const unread = new Map(people.map((who) => [who, new Set(rows.unread(who))]))
  const byMessage = await server.rows(ofMessages, [realmId, all])
  t.same(
    byMessage.map(({ id, unread, readers }) => ({
      id: Number(id),
      unread: [...idsOf(String(unread))],
      readers: String(readers),
    })),
    [...rows.messages.keys()].map((id) => {
      const idsWhere = (is: (who: (typeof people)[number]) => boolean) =>
        people
          .filter(is)
          .map(server.idOf)
          .sort((a, b) => a - b)
      const isUnread = (who: (typeof people)[number]) => unread.get(who)?.has(id) === true
      return {
        id,
        unread: idsWhere(isUnread),
        // Of who is out of a private channel the endpoint does not ask.
        readers: `{${idsWhere((who) => rows.hasThere(who, id) && !isUnread(who)).join(",")}}`,
      }
    }),
    `${label}: for whom each message is unread, and read`,
  )
  for (const who of people) {
    const found = await server.rows(ofUsers, [realmId, server.idOf(who)])
    t.same(
      found.map(({ id }) => Number(id)),
      rows.unread(who),
      `${label}: ${who}, unread by ranges of ids`,
    )
  }
}
