/**
 * All short ways of messages through a public channel, another one, and private channels with shared and with protected
 * history, from the views of those who are in some of them and of those who come and go meanwhile: after each step each
 * client's picture is what requests show. A quick run plays every third way. Random and longer ones: test/deep/moves-model.test.ts.
 */
import t from "tap"
import { channelId } from "../kit/channel-scene.ts"
import { some } from "../kit/share.ts"
import { type Name, type TestServer, withServer } from "../kit/with-server.ts"
import { compareLists, compareMessages, compareNamed, compareSections, show } from "./moves-model/judge.ts"
import { Picture } from "./moves-model/picture.ts"
import { Movers, nameOf, type Place, shortWays } from "./moves-model/short-ways.ts"

/** What each does between the steps: whose they are in the order of the steps. */
type Change = readonly [who: Name, verb: "post" | "delete", ...places: ReadonlyArray<Place>]
const changes: ReadonlyArray<ReadonlyArray<Change>> = [
  [],
  [
    ["shiva", "delete", "A"],
    ["shiva", "post", "B"],
    ["cordelia", "delete", "P", "R"],
  ],
  [
    ["shiva", "delete", "B"],
    ["shiva", "post", "A"],
    ["cordelia", "post", "P", "R"],
  ],
]

const channels = [
  { name: "A", users: ["desdemona", "hamlet", "polonius", "shiva", "iago"] },
  { name: "B", users: ["desdemona", "othello"] },
  { name: "P", users: ["desdemona", "cordelia", "iago"], isPrivate: true, historyShared: true },
  { name: "R", users: ["desdemona", "cordelia", "othello"], isPrivate: true, historyShared: false },
] as const
const watching: ReadonlyArray<Name> = ["hamlet", "polonius", "shiva", "iago", "othello", "cordelia"]

/** A private channel is joined by being added. */
const change = (server: TestServer, [who, verb, ...names]: Change) => {
  const by = verb === "post" ? server.as("desdemona") : server.as(who)
  return verb === "post"
    ? by.must.post("/users/me/subscriptions", {
        subscriptions: names.map((name) => ({ name })),
        principals: [server.idOf(who)],
      })
    : by.must.delete("/users/me/subscriptions", { subscriptions: names })
}

/** Of differences of the same kind only so many are told. */
const mostTold = 5

t.test("I13: after each step of each short way each client's picture is right", (t) =>
  withServer(t, { channels }, async (server) => {
    const ids = { A: 0, B: 0, P: 0, R: 0 }
    for (const place of ["A", "B", "P", "R"] as const) ids[place] = channelId(server, place)
    const movers = new Movers(server, ids)
    const open = (who: Name, label: string) => Picture.open(label, server.as(who), server.port, server.idOf(who))
    const pictures = await Promise.all(watching.map((who) => open(who, who)))
    const away = await Promise.all(watching.map((who) => open(who, `${who}, away`)))
    const compare = async (picture: Picture, steps: number, live?: Picture) => {
      await picture.settle()
      const [first = 0] = movers.ways.keys()
      const scope = { first, ids: [...movers.ways.keys()], channels: Object.values(ids) }
      const shown = await show(picture, scope)
      const found = [
        ...compareMessages(picture, scope, shown, (id) => live?.messages.has(id) === true),
        ...(live === undefined ? compareNamed(picture, scope, shown) : []),
        ...(await compareSections(picture, scope)),
        ...(await compareLists(picture, scope, shown)),
      ]
      const named = (text: string) =>
        text.replace(
          /^(\d+) /,
          (_, id) => `${nameOf(movers.ways.get(Number(id)) ?? { from: "A", turns: [] }, steps)}: `,
        )
      const told = found.map(({ kind, label, text }) => `${label}, ${kind}: ${named(text)}`.slice(0, 300))
      const kinds = new Set(found.map(({ kind }) => kind))
      const few = [...kinds].flatMap((kind) => told.filter((line) => line.includes(`, ${kind}: `)).slice(0, mostTold))
      t.same(few, [], `${picture.label}, after ${steps} steps: ${found.length} differences`)
    }
    await movers.send(some(shortWays(changes.length), 6, "short ways"))
    for (const picture of pictures) await compare(picture, 0)
    for (const [n, come] of changes.entries()) {
      for (const each of come) await change(server, each)
      await movers.step(n)
      for (const picture of pictures) await compare(picture, n + 1)
    }
    for (const [n, picture] of away.entries()) await compare(picture, changes.length, pictures[n])
  }),
)
