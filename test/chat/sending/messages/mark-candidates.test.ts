/** Marks of messages: receivers who are mentioned by name, by a group or by a wildcard, and who may do that. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import t from "tap"
import { roles, systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { readRealmSettings } from "../../../../src/chat/ground/realm/realm-settings.ts"
import type { ChannelRecord } from "../../../../src/chat/ground/realm/records.ts"
import { alertWords } from "../../../../src/chat/sending/messages/alert-word-index.ts"
import { gatherMarkCandidates, judgeMarks } from "../../../../src/chat/sending/messages/mark-candidates.ts"
import { type Mentions, noMentions } from "../../../../src/chat/text/markdown/context/rendered.ts"
import { type UserSet, userSet } from "../../../../src/events/event.ts"
import { GroupId, UserId } from "../../../../src/ids.ts"
import { channel, makeRealm, people, person } from "../../../kit/hand-made-realm.ts"

/** A realm with so many further members, whose ids begin at 101, all subscribed to the channel. */
const crowd = (count: number) => {
  const realm = makeRealm()
  const ids = Array.from({ length: count }, (_, n) => UserId(101 + n))
  for (const id of ids) {
    realm.setUser(person(id, `Person${id}`, roles.member))
    realm.roles.add(id, roles.member, { opened: 1, closed: null })
  }
  return { realm, ids, receivers: userSet(ids) }
}

const lobby = channel(77, "lobby")

const marksOf = async (
  realm: ReturnType<typeof makeRealm>,
  mentions: Partial<Mentions>,
  {
    receivers,
    at = lobby,
    sender = people.hamlet,
    content = "",
    participants = userSet([]),
  }: {
    readonly receivers: UserSet
    readonly at?: ChannelRecord | null
    readonly sender?: typeof people.hamlet
    readonly content?: string
    readonly participants?: UserSet
  },
) => {
  const text = { content, mentions: { ...noMentions, ...mentions } }
  const marking = await Effect.runPromise(gatherMarkCandidates(realm, text, receivers, participants))
  return Result.match(judgeMarks(realm, sender, at, receivers, marking), {
    onFailure: ({ code, msg }) => ({ code, msg }),
    onSuccess: (marked) => marked,
  })
}

t.test("by name: receivers, and bots that are not there", async (t) => {
  const { realm, ids, receivers } = crowd(3)
  const [first = UserId(0), second = UserId(0)] = ids
  t.same(await marksOf(realm, {}, { receivers }), { marks: undefined, bots: [] }, "nobody")
  const users = [second, people.iago.id, people.echo.id, first]
  t.same(await marksOf(realm, { users }, { receivers }), {
    marks: { mentioned: [second, first, people.echo.id] },
    bots: [people.echo.id],
  })
  t.same(
    await marksOf(realm, { users: [people.echo.id] }, { receivers, at: null }),
    { marks: undefined, bots: [] },
    "a direct message goes to its participants alone",
  )
  for (const history_shared of [true, false])
    t.same(
      await marksOf(
        realm,
        { users: [people.echo.id] },
        { receivers, at: { ...lobby, is_private: true, history_shared } },
      ),
      { marks: undefined, bots: [] },
      "no mention lets a bot into a private channel",
    )
})

t.test("by a group: its members who receive the message", async (t) => {
  const { realm, ids, receivers } = crowd(40)
  const group = (id: number, fields: object) => {
    const known = [...realm.groups.values()][0]
    if (known === undefined) throw new Error("no group")
    const record = { ...known, id: GroupId(id), name: `group ${id}`, is_system: false, deactivated: false, ...fields }
    realm.groups.set(record)
    return record.id
  }
  const permissions = { can_mention_group: systemGroups["role:everyone"] }
  const inner = group(501, { members: ids.slice(0, 3), subgroups: [], permissions })
  const outer = group(502, { members: [people.iago.id, ...ids.slice(5, 7)], subgroups: [inner], permissions })
  const closed = group(503, {
    members: ids,
    subgroups: [],
    permissions: { can_mention_group: systemGroups["role:owners"] },
  })
  t.same(await marksOf(realm, { groups: [outer] }, { receivers }), {
    marks: { group: "{[101,104),[106,108)}" },
    bots: [],
  })
  t.same(await marksOf(realm, { groups: [outer, closed] }, { receivers }), {
    code: "BAD_REQUEST",
    msg: "You are not allowed to mention user group 'group 503'.",
  })
  const withRoles = group(504, { members: [], subgroups: [systemGroups["role:members"]], permissions })
  t.same(await marksOf(realm, { groups: [withRoles] }, { receivers }), {
    marks: { group: "{[101,141)}" },
    bots: [],
  })
  t.match(await marksOf(realm, { groups: [systemGroups["role:members"]] }, { receivers }), {
    msg: /^You are not allowed to mention user group/,
  })
})

t.test("by a wildcard: many only with the permission", async (t) => {
  const all: Partial<Mentions> = { channelWildcard: true }
  const topic: Partial<Mentions> = { topicWildcard: true }
  const few = crowd(15)
  const many = crowd(16)
  t.same(await marksOf(few.realm, all, few), { marks: { channel: true }, bots: [] })
  t.match(await marksOf(many.realm, all, many), { code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED" })
  t.match(await marksOf(many.realm, all, { ...many, at: null }), { bots: [] }, "direct messages need none")
  const { receivers } = many
  const participants = userSet([...few.ids, 999])
  t.match(await marksOf(many.realm, topic, { receivers, participants }), { code: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED" })
  t.same(
    await marksOf(many.realm, topic, { receivers, participants: userSet([101, 102, 999]) }),
    { marks: { topic: "{[101,103)}" }, bots: [] },
    "of the participants those who receive it",
  )
  t.same(
    await marksOf(many.realm, topic, { receivers, participants: userSet([101]), at: null }),
    { marks: undefined, bots: [] },
    "a conversation has no topic",
  )
  many.realm.setSettings(readRealmSettings({ can_mention_many_users_group: systemGroups["role:everyone"] }))
  t.match(await marksOf(many.realm, all, many), { bots: [] })
  t.match(await marksOf(many.realm, topic, { receivers, participants }), { bots: [] })
})

t.test("alert words: their owners who receive the message", async (t) => {
  const { realm, ids, receivers } = crowd(3)
  for (const id of [...ids, people.iago.id]) realm.part(alertWords).set(id, ["Ghost"])
  t.same(await marksOf(realm, {}, { receivers, content: "a ghost" }), {
    marks: { alerted: "{[101,104)}" },
    bots: [],
  })
})
