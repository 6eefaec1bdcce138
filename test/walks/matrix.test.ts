/**
 * The permission matrix: users of every role who hold a permission in every way and are, were or never were subscribed;
 * channels of every kind; every action. The server must permit exactly what model-realm/rules.ts permits, whose rules
 * are written independently of the server's. model-realm/matrix-choice.ts chooses the combinations that are requested, and
 * half of them for a quick run.
 */
import t, { type Test } from "tap"
import type { Answer } from "../kit/client.ts"
import { recordsIn } from "../kit/records.ts"
import { isStanding } from "../kit/rows.ts"
import { withServer } from "../kit/with-server.ts"
import { channelRows, messagesIn, type Row } from "./model-realm/matrix-channels.ts"
import { choose, chooseOfGroups, sent } from "./model-realm/matrix-choice.ts"
import { fullGroupRows, type GroupRow, groupRows, realmRows } from "./model-realm/matrix-organization.ts"
import { type Actor, buildScene, type Scene } from "./model-realm/matrix-scene.ts"
import * as rules from "./model-realm/rules.ts"
import { type Channel, type Group, system } from "./model-realm/state.ts"

/** The answers that differ from the rules, one line each, so that a wrong rule shows as a pattern. */
class Findings {
  asked = 0
  given = 0
  readonly wrong: Array<string> = []

  note(what: string, expected: boolean, answer: Answer, past: ReadonlyArray<string> = []): boolean {
    const isDone = answer.status === 200
    const isGiven = isDone || past.includes(String(answer.body["msg"]))
    this.asked++
    if (isGiven) this.given++
    const isKnownRefusal = answer.status === 400 || answer.status === 403
    if (isGiven !== expected || (!isGiven && !isKnownRefusal))
      this.wrong.push(`${what}: ${expected ? "may" : "may not"}, but ${answer.status} ${String(answer.body["msg"])}`)
    return isDone
  }

  /** Notes a refusal whose code and text are not the expected ones. */
  refused(what: string, { body }: Answer, text: RegExp | undefined): void {
    const told = `${String(body["code"])} ${String(body["msg"])}`
    if (text !== undefined && !text.test(told)) this.wrong.push(`${what}: ${told}, should be ${String(text)}`)
  }

  report(t: Test, what: string): void {
    t.same(this.wrong.slice(0, 30), [], `${what}: ${this.wrong.length} of ${this.asked} are wrong`)
    t.ok(this.given > 0 && this.given < this.asked, `${what}: given ${this.given} times of ${this.asked}`)
  }
}

const askRow = async (t: Test, scene: Scene, row: Row, number: number): Promise<void> => {
  const findings = new Findings()
  const one = async (actor: Actor, channel: Channel) => {
    const { user, person } = actor
    const expected = row.may(scene.state, user, channel, scene)
    const answer = await row.ask(person, channel, scene)
    const what = `${user.name}, ${channel.name}`
    const isDone = findings.note(what, expected, answer, row.past)
    if (!expected) {
      const isHidden = !(row.sees ?? rules.mayKnow)(scene.state, user, channel)
      findings.refused(what, answer, isHidden ? row.hidden : row.refused?.(scene.state, user, channel))
    }
    if (isDone) await row.undo?.(scene, actor, channel)
  }
  for (const [channel, actors] of choose({ share: "pairs", ...row }, scene, number)) {
    // Requests that change the channel are sent one after the other.
    if (row.undo === undefined) await Promise.all(actors.map((actor) => one(actor, channel)))
    else for (const actor of actors) await one(actor, channel)
  }
  findings.report(t, row.what)
}

const lists = async (t: Test, { actors, channels, state }: Scene, when: string): Promise<void> => {
  await Promise.all(
    sent(actors, `lists, ${when}`).map(async ({ user, person }) => {
      const names = async (fields: object) => {
        const { streams } = await person.must.get("/streams", { exclude_archived: false, ...fields })
        return recordsIn(streams).map((each) => each["name"])
      }
      const listed = (passes: (channel: Channel) => boolean) =>
        channels
          .filter(passes)
          .map(({ name }) => name)
          .sort()
      const known = listed((channel) => rules.mayKnow(state, user, channel))
      t.same(await names({ include_all: true }), known, `${user.name} lists what they may know of`)
      const none = { include_public: false, include_subscribed: false }
      const readable = listed((channel) => rules.mayReadContent(state, user, channel))
      t.same(
        await names({ ...none, include_can_access_content: true }),
        readable,
        `${user.name} lists what they may read`,
      )
    }),
  )
}

const histories = async (t: Test, scene: Scene): Promise<void> => {
  const { actors, messages, state } = scene
  const wrong: Array<string> = []
  let asked = 0
  const all = { anchor: "newest", num_before: 1000, num_after: 0 }
  for (const [channel, readers] of choose({ share: "half" }, scene, 1)) {
    const known = messages.get(channel.id) ?? []
    await Promise.all(
      readers.map(async ({ user, person }) => {
        const expected = rules.readable(state, user, channel)
        const answer = await person.get("/messages", { ...all, narrow: [{ operator: "channel", operand: channel.id }] })
        const found = messagesIn(answer, known)
        asked++
        if (JSON.stringify(found) !== JSON.stringify(expected ?? null))
          wrong.push(`${user.name}, ${channel.name}: [${expected}], but ${answer.status} [${found}]`)
      }),
    )
  }
  t.same(wrong.slice(0, 30), [], `histories: ${wrong.length} of ${asked} are wrong`)
  const every = [...messages.values()].flat()
  await Promise.all(
    sent(actors, "histories").map(async ({ user, person }) => {
      const found = messagesIn(await person.get("/messages", all), every)
      const held = [...state.messages.values()].filter((each) => rules.keeps(state, user, each)).map(({ id }) => id)
      t.same(
        found?.toSorted((x, y) => x - y),
        held.sort((x, y) => x - y),
        `${user.name} reads what they got`,
      )
    }),
  )
}

const askGroups = async (t: Test, scene: Scene, rows: ReadonlyArray<GroupRow>): Promise<void> => {
  for (const [number, row] of rows.entries()) {
    const findings = new Findings()
    for (const [group, { user, person }] of chooseOfGroups({ share: "pairs", ...row }, scene, number)) {
      await row.arrange?.(scene, group, user)
      const expected = row.may(scene.state, user, group, scene.bystander)
      const isDone = findings.note(`${user.name}, ${group.name}`, expected, await row.ask(person, group, user, scene))
      await row.undo?.(scene, group, user, isDone)
    }
    findings.report(t, `groups, ${row.what}`)
  }
}

const askRealm = async (t: Test, scene: Scene): Promise<void> => {
  const asking = scene.actors.filter(({ membership }) => membership === "never")
  const { state, steward } = scene
  for (const row of realmRows) {
    const actors = sent(asking, row.what)
    const findings = new Findings()
    const askAll = async (turn: string) => {
      for (const actor of actors) {
        const expected = row.may(state, actor.user, scene)
        findings.note(`${actor.user.name}, ${turn}`, expected, await row.ask(actor, scene, turn))
      }
    }
    await askAll("with the default setting")
    if (row.setting !== null) {
      const before = state.settings[row.setting]
      const value = row.value ?? scene.holders
      await steward.must.patch("/realm", { [row.setting]: { new: value } })
      state.settings[row.setting] = value
      await askAll("with the changed setting")
      await steward.must.patch("/realm", { [row.setting]: { new: before } })
      state.settings[row.setting] = before
    }
    findings.report(t, row.what)
  }
}

t.test("the permission matrix", (t) =>
  withServer(t, {}, async (server) => {
    const scene = await buildScene(server)
    await t.test("the lists of channels that each user may know of and may read", (t) => lists(t, scene, "before"))
    await t.test("the messages that each user reads", (t) => histories(t, scene))
    for (const [number, row] of channelRows.entries())
      await t.test(row.what, async (t) => {
        t.ok(isStanding(row.route), row.route)
        await askRow(t, scene, row, number)
      })
    await t.test("the lists of channels are unchanged after all these requests", (t) => lists(t, scene, "after"))
    const { body } = await scene.steward.post("/user_groups/create", { name: "lonely", description: "", members: [] })
    const lonely: Group = {
      id: Number(body["group_id"]),
      name: "lonely",
      description: "",
      isDeactivated: false,
      members: new Set(),
      subgroups: new Set(),
      settings: {
        can_add_members_group: system.nobody,
        can_join_group: system.nobody,
        can_leave_group: system.everyone,
        can_manage_group: system.nobody,
        can_mention_group: system.everyone,
        can_remove_members_group: system.nobody,
      },
    }
    await t.test("actions on groups", (t) => askGroups(t, scene, groupRows(lonely)))
    for (const { group } of scene.groups) {
      await scene.steward.must.post(`/user_groups/${group.id}/members`, { add: [scene.bystander.id] })
      await scene.steward.must.post(`/user_groups/${group.id}/subgroups`, { add: [lonely.id] })
    }
    await t.test("removing members and subgroups", (t) => askGroups(t, scene, fullGroupRows(lonely)))
    await t.test("actions on the organization", (t) => askRealm(t, scene))
  }),
)
