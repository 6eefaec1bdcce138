/**
 * Random ways of messages through channels (moves, edits, deletions, flags, subscriptions, what channels are and who may
 * read them, kills) from a fresh seed, while there is time: after each step each client's picture is compared with what
 * requests show. Of a difference it prints the seed and the shortest way; a way is run alone by PARLEY_WAY, its steps
 * divided by semicolons. PARLEY_WAYS_WRONG=n goes on until n ways were wrong, and PARLEY_WAYS_WITHOUT=make,role leaves out
 * steps that begin with these words.
 */
import * as Predicate from "effect/Predicate"
import t, { type Test } from "tap"
import { ServerProcess } from "../faults/kill/server-process.ts"
import { personOf, request } from "../kit/client.ts"
import { adminUrl, createFolder, createPostgresDatabase, until } from "../kit/test-database.ts"
import { drawWay } from "../walks/moves-model/draw.ts"
import { play, type Wrong } from "../walks/moves-model/play.ts"
import { shrink } from "../walks/moves-model/shrink.ts"
import { people, type Site, type Who } from "../walks/moves-model/stage.ts"
import { announceSeed, timeout, timer } from "./budget.ts"

/** A register lists the channels of all ways that a server has seen. */
const waysOfServer = 25
const steps = 30
const mostWrong = Number(process.env["PARLEY_WAYS_WRONG"] ?? 3)

const openSite = async (t: Test, faults: Array<string>): Promise<Site & { readonly end: () => Promise<void> }> => {
  const url = adminUrl === undefined ? null : await createPostgresDatabase(t, adminUrl)
  const server = await ServerProcess.create({
    folder: await createFolder(t),
    url,
    onFault: (fault) => faults.push(fault),
  })
  t.teardown(() => server.kill())
  server.start()
  await server.ready()
  const signIn = async (who: Who) => {
    const username = `${who}@demo.example`
    const { body } = await request(server.origin, "POST", "/dev_fetch_api_key", { username })
    const person = personOf(server.origin, { email: username, key: String(body["api_key"]) })
    return [who, { person, id: Number(body["user_id"]) }] as const
  }
  const accounts = new Map(await Promise.all(people.map(signIn)))
  const of = (who: Who) => {
    const account = accounts.get(who)
    if (account === undefined) throw new Error(`${who} is not signed in`)
    return account
  }
  const owner = of("owner").person
  await owner.patch("/realm", { enable_spectator_access: true })
  // The demo's pictures get their thumbnails beside everything else, and each is an event, which a client may get or come after.
  const pictures = { anchor: "newest", num_before: 1000, num_after: 0, narrow: [{ operator: "has", operand: "image" }] }
  await until("the demo's thumbnails are made", 60_000, async () => {
    const { messages } = await owner.must.get("/messages", pictures)
    const shown = JSON.stringify(messages)
    return shown.includes("<img") && !shown.includes("image-loading-placeholder")
  })
  const { group_id } = await owner.must.post("/user_groups/create", {
    name: "readers",
    description: "",
    members: [of("moderator").id],
  })
  return {
    port: server.port,
    person: (who) => of(who).person,
    id: (who) => of(who).id,
    group: Number(group_id),
    kill: async () => {
      await server.kill()
      server.start()
      await server.ready()
    },
    end: () => server.kill(),
  }
}

/** A connection that was idle may be closed just when it is used again: then the way counts for nothing. */
const isCut = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "ECONNRESET"
const mostCut = 5

/** The shortest way that is wrong, in the manner of this one; undefined: this one is right. */
const findWrong = async (site: Site, way: ReadonlyArray<string>): Promise<ReadonlyArray<string> | undefined> => {
  const wrong = await play(site, way)
  const shortest = wrong && (await shrink(site, way, wrong))
  return shortest && tell(shortest.way, shortest.wrong)
}

const tell = (way: ReadonlyArray<string>, { at, differences }: Wrong): ReadonlyArray<string> => [
  ...way.slice(0, at + 1),
  ...differences.slice(0, 6).map(({ label, kind, text }) => `=> ${label}, ${kind}: ${text}`.slice(0, 1000)),
]

const without = process.env["PARLEY_WAYS_WITHOUT"]?.split(",") ?? []
const given = process.env["PARLEY_WAY"]
const first = announceSeed("moves-model")

t.test(`ways of messages from seed ${first} on`, { timeout }, async (t) => {
  const faults: Array<string> = []
  const goesOn = timer()
  let site = await openSite(t, faults)
  if (given !== undefined) {
    const way = given.split(";").map((step) => step.trim())
    const wrong = await play(site, way, people, true)
    return void t.same(wrong === undefined ? [] : tell(way, wrong), [])
  }
  let [ways, wrongs, cut] = [0, 0, 0]
  for (let seed = first; ways === 0 || (goesOn() && wrongs < mostWrong); seed++) {
    if (ways % waysOfServer === waysOfServer - 1) {
      await site.end()
      site = await openSite(t, faults)
    }
    ways += 1
    try {
      const told = await findWrong(site, drawWay(seed, steps, without))
      if (told === undefined) continue
      wrongs += 1
      process.stderr.write(`moves-model: seed ${seed}: ${told.join("; ")}\n`)
      t.same(told, [], `PARLEY_SEED=${seed}`)
    } catch (error) {
      cut += 1
      if (!isCut(error) || cut > mostCut) throw error
    }
  }
  t.comment(`${ways} ways, ${wrongs} of them wrong, ${cut} cut`)
  t.same(faults, [])
})
