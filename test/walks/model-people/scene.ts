/** Who is in a random run of people-model.test.ts, and what it must remember to know which requests are permitted. */
import { UserId } from "../../../src/ids.ts"
import type { Random } from "../../events/model/random.ts"
import { type Answer, type Fields, type Person, personOf } from "../../kit/client.ts"
import { basic } from "../../kit/rows.ts"
import { type ChannelSetup, cast, names, type TestServer } from "../../kit/with-server.ts"

export const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "polonius", "iago"] },
  { name: "court", users: ["cordelia", "othello", "desdemona"] },
  { name: "den", users: ["polonius", "shiva"], isPrivate: true },
  { name: "square", users: ["othello"], isWebPublic: true },
  { name: "welcome", users: ["polonius", "hamlet"], isDefault: true },
]

/** Somebody of the organization. */
export interface Member {
  readonly id: number
  role: number
  isActive: boolean
  readonly isBot: boolean
  /** A bot that only posts what another service tells it. */
  readonly isWebhook: boolean
  owner: number | null
  /** Who may know the address, as in email_address_visibility. */
  visibility: number
  /** What it keeps in the storage of bots. */
  readonly storage: Map<string, string>
}

export class Scene {
  readonly server: TestServer
  readonly picture: Uint8Array
  readonly members = new Map<number, Member>()
  /** The organization's settings that a run changes, of those that are on or off. */
  readonly flags = new Map<string, boolean>()
  readonly domains = new Set<string>()
  readonly playgrounds = new Set<number>()
  /** Makes names and addresses that are not there yet. */
  made = 0

  constructor(server: TestServer, picture: Uint8Array) {
    this.server = server
    this.picture = picture
    for (const name of names) this.add(server.idOf(name), cast[name])
  }

  add(id: number, role: number, owner: number | null = null, isWebhook = false): Member {
    const isBot = owner !== null
    const known = { id, role, isActive: true, isBot, isWebhook, owner, visibility: 1, storage: new Map() }
    this.members.set(id, known)
    return known
  }

  /** Those who may ask for anything. */
  get active(): ReadonlyArray<Member> {
    return [...this.members.values()].filter(({ isActive, isWebhook }) => isActive && !isWebhook)
  }

  get people(): ReadonlyArray<Member> {
    return this.active.filter(({ isBot }) => !isBot)
  }

  get bots(): ReadonlyArray<Member> {
    return [...this.members.values()].filter(({ isBot }) => isBot)
  }

  /** Takes bots down to their owners' roles, as the server does when a bot gets another owner or its owner another role. */
  lowerBots(): void {
    for (const bot of this.bots) bot.role = Math.max(bot.role, this.members.get(bot.owner ?? 0)?.role ?? 0)
  }

  /** The first owner, who stays one. */
  get first(): Member {
    const [first] = this.members.values()
    if (first === undefined) throw new Error("nobody is there")
    return first
  }

  emailOf(id: number): string {
    const user = this.server.realm.realm.users.get(UserId(id))
    if (user === undefined) throw new Error(`there is no user ${id}`)
    return user.email
  }

  /** Requests of somebody by the address and the key that they have now, to the server that runs now. */
  as(id: number): Person {
    return personOf(this.server.origin, this.server.accountOf(this.emailOf(id)))
  }

  /** A request with a picture as a file. */
  async upload(by: Member, method: string, path: string): Promise<Answer> {
    const form = new FormData()
    form.set("picture", new Blob([new Uint8Array(this.picture)]), "a.png")
    const headers = { Authorization: basic(this.as(by.id).account) }
    const answer = await fetch(`${this.server.origin}/api/v1${path}`, { method, headers, body: form })
    const body: unknown = await answer.json()
    return { status: answer.status, headers: answer.headers, body: { ...Object(body) } }
  }
}

/** A person whose address and key may change while their queues are read. */
export const lasting = (scene: Scene, id: number): Person => {
  const now = () => scene.as(id)
  return {
    get account() {
      return now().account
    },
    get: (...request) => now().get(...request),
    post: (...request) => now().post(...request),
    put: (...request) => now().put(...request),
    patch: (...request) => now().patch(...request),
    delete: (...request) => now().delete(...request),
    must: {
      get: (...request) => now().must.get(...request),
      post: (...request) => now().must.post(...request),
      put: (...request) => now().must.put(...request),
      patch: (...request) => now().must.patch(...request),
      delete: (...request) => now().must.delete(...request),
    },
    send: (...request) => now().send(...request),
  }
}

export interface Step {
  /** The kind of request, the same for all of its kind. */
  readonly what: string
  readonly by: Member
  readonly ask: () => Promise<Answer>
  /** What is asked, for the report of a difference. */
  readonly told: unknown
  /** Whether it must be given; null: either is right. */
  readonly may: boolean | null
  /** Called if it is given. */
  readonly apply?: (answer: Fields) => void
}

/** Makes a random request; undefined: the present state offers none. */
export type Draw = (scene: Scene, random: Random) => Step | undefined
export type Draws = ReadonlyArray<readonly [weight: number, draw: Draw]>

export type Verb = "get" | "post" | "put" | "patch" | "delete"

/** A step of one request. */
export const asking = (
  scene: Scene,
  by: Member,
  [method, path, fields = {}]: readonly [method: Verb, path: string, fields?: Fields],
) => ({ by, told: [method, path, fields], ask: () => scene.as(by.id)[method](path, fields) })

export const isAdmin = ({ role }: Member): boolean => role <= 200
export const isGuest = ({ role }: Member): boolean => role === 600
/** Whether somebody may take away another's account, or give them another role. */
export const mayTouch = (by: Member, other: Member, next = other.role): boolean =>
  by.role === 100 || (by.role === 200 && other.role !== 100 && next !== 100)
