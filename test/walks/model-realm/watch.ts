/** A queue of a random run with its client. It survives restarts of the server; run.ts decides when it is read. */
import { type Fields, personOf } from "../../kit/client.ts"
import { eventsOf, type ReadEvent } from "../../kit/reader.ts"
import type { TestServer } from "../../kit/with-server.ts"
import type { Able } from "./compare.ts"
import { RealmClient } from "./realm-client.ts"
import type { User } from "./state.ts"

export interface ClientKind {
  readonly label: string
  readonly able: Able
  /** The queue gets the messages of all public channels (`all_public_streams`). */
  readonly isWide: boolean
  readonly fields: Fields
}

const kind = (label: string, able: Able, isWide = false): ClientKind => ({
  label,
  able,
  isWide,
  fields: {
    all_public_streams: isWide,
    include_subscribers: true,
    client_gravatar: false,
    client_capabilities: {
      notification_settings_null: true,
      empty_topic_name: true,
      user_settings_object: true,
      archived_channels: able.archived,
      include_deactivated_groups: able.deactivatedGroups,
    },
  },
})
export const modern = kind("modern", { archived: true, deactivatedGroups: true })
export const old = kind("old", { archived: false, deactivatedGroups: false })
export const wide = kind("wide", { archived: false, deactivatedGroups: false }, true)

export const as = (server: TestServer, user: User) =>
  personOf(server.origin, server.accountOf(`${user.name}@test.example`))

export class Watch {
  readonly user: User
  readonly kind: ClientKind
  readonly client: RealmClient
  /** All events so far, without heartbeats. */
  readonly events: Array<ReadEvent> = []
  readonly #queue: string
  #lastId: number

  constructor(user: User, kind: ClientKind, register: Fields) {
    this.user = user
    this.kind = kind
    this.client = new RealmClient(user.id, register)
    this.#queue = String(register["queue_id"])
    this.#lastId = Number(register["last_event_id"])
  }

  get label(): string {
    return `${this.user.name} (${this.user.id}), ${this.kind.label}`
  }

  /** Reads all events that there are now. */
  async read(server: TestServer): Promise<void> {
    while ((await this.readOnce(server)) > 0);
  }

  /** One poll, which gets all events of a live queue. Answers their number. */
  async readOnce(server: TestServer): Promise<number> {
    const body = await as(server, this.user).must.get("/events", {
      queue_id: this.#queue,
      last_event_id: this.#lastId,
      dont_block: true,
    })
    const events = eventsOf(body["events"])
    for (const event of events) {
      if (event.id <= this.#lastId) this.client.complaints.push(`id ${event.id} came after ${this.#lastId}`)
      this.#lastId = event.id
      if (event.type !== "heartbeat") this.events.push(event)
      this.client.apply(event)
    }
    return events.length
  }
}

export const watch = async (server: TestServer, user: User, kind: ClientKind): Promise<Watch> =>
  new Watch(user, kind, await as(server, user).must.post("/register", kind.fields))
