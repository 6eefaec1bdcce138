/** What a test does with its server, on whatever runs it: people, their clients and queues, proxies, its end. */
import { randomBytes } from "node:crypto"
import { type Account, Client, type ClientOptions, type Params, type QueueReader } from "../client/index.ts"
import { startProxy } from "./fault-proxy.ts"
import { nameOf, roleNumber, type ServerCore } from "./server-core.ts"
import { openQueue } from "./test-queue.ts"
import type { Name, Newcomer, Person, QueueOptions, TestProxy, TestQueue, TestServer } from "./types.ts"

/** Between tries of a client: the server is near, or away because the test wants it. */
const pauses = { firstMilliseconds: 10, mostMilliseconds: 100 }

/** Tells of its readers, which go on until they are closed. */
class TestClient extends Client {
  readonly #opened: (reader: QueueReader) => void

  constructor(options: ClientOptions, opened: (reader: QueueReader) => void) {
    super(options)
    this.#opened = opened
  }

  override read(...given: Parameters<Client["read"]>): QueueReader {
    const reader = super.read(...given)
    this.#opened(reader)
    return reader
  }
}

export class RunningTestServer implements TestServer {
  readonly #core: ServerCore
  readonly #people: Map<string, Person>
  readonly #clients = new Map<string, Client>()
  /** What the test has opened, to be closed before the server. */
  readonly #opened: Array<{ readonly close: () => Promise<void> }> = []
  readonly #readers: Array<QueueReader> = []
  readonly #proxies: Array<TestProxy> = []
  #isRunning = true
  #closing: Promise<void> | null = null

  constructor(core: ServerCore) {
    this.#core = core
    this.#people = new Map(core.people.map((person) => [person.name, person]))
  }

  get port(): number {
    return this.#core.port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get people(): ReadonlyArray<Person> {
    return [...this.#people.values()]
  }

  get clock() {
    return this.#core.clock
  }

  get faults() {
    return this.#core.faults
  }

  person(name: Name): Person {
    const person = this.#people.get(name)
    if (person !== undefined) return person
    throw new Error(`nobody is called ${name}; there are ${[...this.#people.keys()].join(", ")}`)
  }

  accountOf(name: Name): Account {
    const { email, apiKey } = this.person(name)
    return { email, apiKey }
  }

  keyOf(name: Name): string {
    return this.person(name).apiKey
  }

  as(name: Name, { through = this.url }: { readonly through?: string | undefined } = {}): Client {
    const key = `${through} ${name}`
    const known = this.#clients.get(key)
    if (known !== undefined) return known
    const options = { server: through, account: this.accountOf(name), pauses }
    const client = new TestClient(options, (reader) => void this.#readers.push(reader))
    this.#clients.set(key, client)
    return client
  }

  async join(name: string, { role = "member", fullName = name, channels = [] }: Newcomer = {}): Promise<Person> {
    if (this.#people.has(name)) throw new Error(`there is somebody called ${name} already`)
    const owner = this.as("owner")
    const host = this.person("owner").email.split("@")[1]
    const [email, password] = [`${name}@${host}`, randomBytes(18).toString("base64url")]
    const { user_id } = await owner.call("POST /users", { email, password, full_name: fullName })
    if (role !== "member") await owner.call("PATCH /users/{user_id}", { user_id, role: roleNumber(role) })
    const subscriptions = channels.map((channel) => ({ name: channel }))
    if (channels.length > 0) await owner.call("POST /users/me/subscriptions", { subscriptions, principals: [user_id] })
    const visitor = new Client({ server: this.url, pauses })
    const { api_key } = await visitor.call("POST /fetch_api_key", { username: email, password })
    const person: Person = { name: nameOf(email), email, apiKey: api_key, userId: user_id, role, isBot: false }
    this.#people.set(name, person)
    return person
  }

  async queue(name: Name, register: Params<"POST /register"> = {}, options: QueueOptions = {}): Promise<TestQueue> {
    const queue = await openQueue(this.as(name, { through: options.through }), register, options)
    this.#opened.push(queue)
    return queue
  }

  async proxy(): Promise<TestProxy> {
    const { port, stall, ...proxy } = await startProxy("127.0.0.1", this.port)
    const opened: TestProxy = {
      ...proxy,
      url: `http://127.0.0.1:${port}`,
      stall: (direction) => (direction === undefined ? stall() : stall(direction)),
    }
    this.#opened.push(opened)
    this.#proxies.push(opened)
    return opened
  }

  async kill(): Promise<void> {
    if (!this.#isRunning) throw new Error("the server does not run")
    this.#isRunning = false
    await this.#core.kill()
  }

  async restart(): Promise<void> {
    if (this.#closing !== null) throw new Error("the server is closed")
    await this.#core.restart()
    this.#isRunning = true
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // What the test has stalled would hold up what is closed here.
    this.#core.calm()
    for (const proxy of this.#proxies) proxy.resume()
    for (const reader of this.#readers) reader.close()
    // A queue of a server that the test has killed is not deleted.
    for (const each of this.#opened.toReversed()) await each.close().catch(() => {})
    const left = await this.#core.end()
    if (left.length > 0) throw new Error(`the server at ${this.url} has left something: ${left.join("; ")}`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
