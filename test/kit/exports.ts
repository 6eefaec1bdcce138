/** Has exports made as administrators do, and reads what is in them. */
import { once } from "node:events"
import { Parser } from "tar"
import { exportKind } from "../../src/chat/organization/realm-exports/export-work.ts"
import type { Fields } from "./client.ts"
import { underWay, workOf } from "./jobs.ts"
import { recordsIn } from "./records.ts"
import { until } from "./test-database.ts"
import type { TestServer } from "./with-server.ts"

const path = "/export/realm"

export const exportsOf = async (server: TestServer) => recordsIn((await server.as("iago").must.get(path))["exports"])

const exportById = async (server: TestServer, id: number) =>
  (await exportsOf(server)).find((each) => each["id"] === id) ?? {}

export const wanted = async (server: TestServer, fields: Fields = {}): Promise<number> =>
  Number((await server.as("iago").must.post(path, fields))["id"])

/** Waits until it is there, or has failed; `ms`: what the clock goes on by where no attempt is made. */
export const ended = async (server: TestServer, id: number, ms = 0) => {
  await until(`export ${id} has ended`, 30_000, async () => {
    if ((await exportById(server, id))["pending"] === false) return true
    // A leap of the clock would end the claim of an attempt.
    if (ms > 0 && underWay(workOf(server), exportKind) === 0) server.clock.advance(ms)
    return false
  })
  return exportById(server, id)
}

export interface Archive {
  /** All entries by their paths. */
  readonly entries: ReadonlyMap<string, Buffer>
  readonly bytes: Buffer
}

const parse = async (bytes: Buffer): Promise<Archive> => {
  const entries = new Map<string, Buffer>()
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      const parts: Array<Buffer> = []
      entry.on("data", (part: Buffer) => void parts.push(part))
      entry.on("end", () => void entries.set(entry.path, Buffer.concat(parts)))
    },
  })
  const end = once(parser, "end")
  parser.end(bytes)
  await end
  return { entries, bytes }
}

/** As somebody without an account fetches it, who has the address. */
export const fetched = async (url: unknown): Promise<Archive> => {
  const answer = await fetch(String(url))
  if (answer.status !== 200) throw new Error(`${String(url)}: ${answer.status}`)
  return parse(Buffer.from(await answer.arrayBuffer()))
}

export const jsonIn = ({ entries }: Archive, name: string): Readonly<Record<string, unknown>> => {
  const [found = {}] = recordsIn([JSON.parse(String(entries.get(name) ?? "null"))])
  return found
}

/** The messages of all entries, or what these list beside them. */
export const listedIn = (archive: Archive, key: "messages" | "attachments") =>
  [...archive.entries.keys()]
    .filter((name) => name.startsWith("messages/"))
    .flatMap((name) => recordsIn(jsonIn(archive, name)[key]))

/** Makes one and reads it. */
export const exported = async (server: TestServer, fields: Fields = {}): Promise<Archive> =>
  fetched((await ended(server, await wanted(server, fields)))["export_url"])

/** Holds exports up at their first look for messages: when one is there, and what lets it and all others go on. */
export const heldUp = (server: TestServer) => {
  let isThere = () => {}
  let goOn = () => {}
  const begun = new Promise<void>((resolve) => {
    isThere = resolve
  })
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  server.faults.slow("octet_length(m.content)", () => {
    isThere()
    return held
  })
  const release = (): void => {
    server.faults.flow()
    goOn()
  }
  return { begun, release }
}
