/**
 * Sections that registers share: nearly everything among viewers with the same rights, nothing that one of them may not
 * see. That each kind of row shows up in the next register is tested at servers (test/walks/settles.test.ts).
 */
import * as Effect from "effect/Effect"
import t from "tap"
import type { SectionView } from "../../../../src/chat/ground/kinds/section-view.ts"
import { mayKnowOf } from "../../../../src/chat/ground/permissions/permissions.ts"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import type { Realm } from "../../../../src/chat/ground/realm/realm.ts"
import type { UserRecord } from "../../../../src/chat/ground/realm/records.ts"
import { userSettingsOf } from "../../../../src/chat/ground/realm/user-settings.ts"
import { prepareSections, takeSections } from "../../../../src/chat/server/sync/register-sections.ts"
import { ChannelId, UserId } from "../../../../src/ids.ts"
import type { JsonObject } from "../../../../src/json.ts"
import { bytesOf, JsonMember, type JsonPiece, SharedPiece } from "../../../../src/json-pieces.ts"
import { catalog } from "../../../kit/catalog.ts"
import {
  all,
  channel,
  column,
  config,
  makeRealm,
  now,
  origin,
  people,
  person,
  record,
  row,
  sectionsFor,
  stored,
} from "../../../kit/hand-made-realm.ts"
import { some } from "../../../kit/share.ts"

/** An organization in which the lists are long: 600 people, every fifth of whom hides the address, and 200 channels. */
const makeLarge = (): Realm => {
  const realm = makeRealm()
  for (let id = 7; id <= 600; id++) {
    const settings = userSettingsOf({ email_address_visibility: id % 5 === 0 ? 3 : 1 })
    realm.setUser({ ...person(id, `Person${id}`, id % 50 === 1 ? roles.guest : roles.member), settings })
    realm.roles.add(UserId(id), id % 50 === 1 ? roles.guest : roles.member, { opened: id, closed: null })
  }
  for (let id = 8; id <= 200; id++) {
    realm.setChannel(channel(id, `channel ${id}`, { is_private: id % 20 === 0, is_web_public: id % 20 === 5 }))
    for (let user = 7; user <= 600; user += 1 + (id % 7))
      if (user % 50 !== 1 && (id + user) % 20 === 0)
        realm.subscriptions.add(ChannelId(id), UserId(user), { opened: 25, closed: null })
  }
  return realm
}

const full: SectionView = { ...all, includeSubscribers: true }

const userOf = (realm: Realm, id: number): UserRecord => {
  const user = realm.users.get(UserId(id))
  if (user === undefined) throw new Error(`no user ${id}`)
  return user
}

const take = (realm: Realm, user: UserRecord | null, view: SectionView) =>
  takeSections(catalog.sections, { realm, config, origin, user, now }, view, user === null ? null : stored)

/** All that is sent of the lists. */
const piecesOf = async (realm: Realm, user: UserRecord | null, view = full): Promise<ReadonlyArray<JsonPiece>> => {
  await Effect.runPromise(prepareSections(catalog.sections, { realm, config, origin, user, now }, view))
  const pieces: Array<JsonPiece> = []
  for (const member of take(realm, user, view)) {
    if (member instanceof JsonMember) pieces.push(...(await Effect.runPromise(member.pieces)))
    else if (typeof member !== "string") pieces.push(...member)
  }
  return pieces
}

const sizeOf = (pieces: Iterable<JsonPiece>): number =>
  [...pieces].reduce((sum, piece) => sum + bytesOf(piece).length, 0)
const sharedOf = (pieces: ReadonlyArray<JsonPiece>) => new Set(pieces.filter((piece) => piece instanceof SharedPiece))
const textOf = (pieces: Iterable<JsonPiece>) => Buffer.concat([...pieces].map(bytesOf)).toString()

/** Without what texts are kept in: a realm with the same state. */
const sameAsFresh = (realm: Realm, fresh: Realm, user: UserRecord | null, view: SectionView): boolean =>
  JSON.stringify(sectionsFor(user, view, realm)) === JSON.stringify(sectionsFor(user, view, fresh))

t.test("viewers with the same rights hold the same bytes, but for a small part", async (t) => {
  const realm = makeLarge()
  const first = await piecesOf(realm, userOf(realm, 8))
  const second = await piecesOf(realm, userOf(realm, 9))
  const [a, b] = [sharedOf(first), sharedOf(second)]
  const common = new Set([...a].filter((piece) => b.has(piece)))
  const own = sizeOf(second) - sizeOf(common)
  t.ok(sizeOf(second) > 400_000, `${sizeOf(second)} bytes`)
  t.ok(own < sizeOf(second) / 10, `${own} of ${sizeOf(second)} bytes were made for the second`)
  const again = await piecesOf(realm, userOf(realm, 9))
  t.equal([...sharedOf(again)].filter((piece) => !b.has(piece)).length, 0, "nothing is made for the same once more")
})

t.test("one's own hidden address is in nobody else's lists", async (t) => {
  const realm = makeLarge()
  const hiding = await piecesOf(realm, userOf(realm, 10))
  const other = await piecesOf(realm, userOf(realm, 12))
  t.match(textOf(hiding), /person10@/)
  t.notMatch(textOf(sharedOf(hiding)), /person10@/)
  t.notMatch(textOf(other), /person10@|person15@/)
  t.match(textOf(await piecesOf(realm, people.iago)), /person10@.*person15@/)
  t.match(textOf(await piecesOf(realm, userOf(realm, 10))), /person10@/)
})

const viewers = (realm: Realm): ReadonlyArray<UserRecord | null> => [
  null,
  people.iago,
  people.hamlet,
  people.polonius,
  people.ophelia,
  people.echo,
  ...[8, 9, 10, 51, 101, 20, 40].map((id) => userOf(realm, id)),
]

const namesIn = (state: JsonObject, ...keys: ReadonlyArray<string>) =>
  keys.flatMap((key) => column(state[key], "name")).sort()

t.test("each viewer's lists have what that viewer may see, whoever registered before", async (t) => {
  const realm = makeLarge()
  const views: ReadonlyArray<SectionView> = [
    full,
    { ...full, archivedChannels: true, gravatar: true },
    { ...full, includeSubscribers: "partial" },
    all,
  ]
  const rounds = [
    ...views.map((view) => ({ view, fresh: null })),
    ...views.map((view) => ({ view, fresh: makeLarge() })),
  ]
  for (const { view, fresh } of some(rounds, 2, "views of shared sections"))
    for (const viewer of viewers(realm)) {
      const state = sectionsFor(viewer, view, realm)
      const who = viewer?.full_name ?? "a visitor"
      const known = [...realm.channels.values()]
        .filter((each) => (viewer === null ? each.is_web_public : mayKnowOf(realm, viewer, each)))
        .filter((each) => !each.is_archived || (view.archivedChannels && viewer !== null))
      const names = known.map(({ name }) => name).sort()
      t.same(namesIn(state, "streams"), names, `streams of ${who}`)
      t.same(namesIn(state, "subscriptions", "unsubscribed", "never_subscribed"), names, `all lists of ${who}`)
      const shown = column(state["realm_users"], "delivery_email").filter((email) => email !== null).length
      const isHidden = ({ id, settings }: UserRecord) =>
        settings.email_address_visibility === 3 && viewer !== null && id !== viewer.id && viewer.role > 200
      const active = [...realm.users.values()].filter(({ id }) => realm.isActive(id))
      t.equal(shown, viewer === null ? 0 : active.filter((user) => !isHidden(user)).length, `addresses for ${who}`)
      if (fresh !== null) t.ok(sameAsFresh(realm, fresh, viewer, view), `${who} reads what a fresh server would say`)
    }
})

/** Changes of the projection, as rows make them. */
const changes: Readonly<Record<string, (realm: Realm, position: number) => void>> = {
  "somebody hides an address": (realm, position) =>
    realm.apply(row(position, "user_settings", [8], { user_id: 8, property: "email_address_visibility", value: 4 })),
  "a role changes": (realm, position) =>
    realm.apply(row(position, "realm_user", [9], { op: "update", user_id: 9, role: roles.guest })),
  "somebody is deactivated": (realm, position) =>
    realm.apply(row(position, "realm_user", [10], { op: "update", user_id: 10, is_active: false })),
  "somebody comes back": (realm, position) =>
    realm.apply(row(position, "realm_user", [5], { op: "update", user_id: 5, is_active: true, channel_ids: [1] })),
  "a channel is renamed": (realm, position) =>
    realm.apply(
      row(position, "stream", [1], { op: "update", channel_id: 30, name: "channel 30", set: { name: "new name" } }),
    ),
  "a channel turns private": (realm, position) =>
    realm.apply(
      row(position, "stream", [1], { op: "update", channel_id: 31, name: "channel 31", set: { is_private: true } }),
    ),
  "a private channel opens": (realm, position) =>
    realm.apply(
      row(position, "stream", [1], { op: "update", channel_id: 40, name: "channel 40", set: { is_private: false } }),
    ),
  "a channel is archived": (realm, position) =>
    realm.apply(row(position, "stream", [1], { op: "archive", channel_id: 32, name: "channel 32" })),
  "somebody unsubscribes": (realm, position) =>
    realm.apply(row(position, "subscription", [1], { op: "remove", channel_id: 1, name: "lobby", user_ids: [2] })),
}

t.test("each change shows up for everybody, and little is made anew", async (t) => {
  for (const [name, change] of some(Object.entries(changes), 2, "changes of shared sections")) {
    const realm = makeLarge()
    const before = new Map<number, ReadonlySet<JsonPiece>>()
    for (const id of [7, 12, 13]) before.set(id, sharedOf(await piecesOf(realm, userOf(realm, id))))
    const few = [null, people.iago, people.polonius, ...[8, 10].map((id) => userOf(realm, id))]
    for (const viewer of few) sectionsFor(viewer, full, realm)
    const fresh = makeLarge()
    change(realm, 31)
    change(fresh, 31)
    for (const viewer of few) {
      const now = viewer === null ? null : userOf(realm, viewer.id)
      t.ok(sameAsFresh(realm, fresh, now, full), `${name}: ${viewer?.full_name ?? "a visitor"}`)
    }
    for (const [id, known] of before) {
      const pieces = await piecesOf(realm, userOf(realm, id))
      const made = [...sharedOf(pieces)].filter((piece) => !known.has(piece))
      t.ok(made.length > 0, `${name}: user ${id} gets something new`)
      t.ok(sizeOf(made) < (2 / 3) * sizeOf(pieces), `${name}: ${sizeOf(made)} of ${sizeOf(pieces)} bytes`)
    }
  }
})

t.test("a setting of one's own that nobody sees makes nothing anew", async (t) => {
  const realm = makeLarge()
  const known = sharedOf(await piecesOf(realm, userOf(realm, 8)))
  realm.apply(row(31, "user_settings", [9], { user_id: 9, property: "twenty_four_hour_time", value: true }))
  const again = sharedOf(await piecesOf(realm, userOf(realm, 8)))
  t.equal([...again].filter((piece) => !known.has(piece)).length, 0)
})

t.test("the keys of bots are pieces that are never compressed", async (t) => {
  const realm = makeLarge()
  const pieces = await piecesOf(realm, people.iago)
  const key = record(sectionsFor(people.iago, all, realm)["realm_bots"], "user_id", 4)["api_key"]
  const holding = pieces.filter((piece) => textOf([piece]).includes(String(key)))
  t.same(
    holding.map((piece) => "isSecret" in piece && piece.isSecret),
    [true],
  )
})
