/**
 * The bus by NATS: one subject for each organization, to which only those processes subscribe that have it loaded. Connects
 * again and again, so servers that are away stop nothing: what is not heard meanwhile is found by the tick. Loaded only
 * where it is named, by postgres-cluster.ts.
 */
import type { NatsConnection, Subscription } from "@nats-io/transport-node"
import type { NatsConfig } from "../../config/processes-config.ts"
import type { Bus } from "../bus.ts"
import { oneLine } from "../one-line.ts"
import { openConnection } from "./nats-connection.ts"

/** In base64 these are 700 KB: servers take a MB, unless they are told otherwise. */
const mostBytes = 512 * 1024
/** Of the bytes of a message, those that are left when it is sealed, in base64 and has its head. */
const sealedShare = 0.7
/** Bytes that the server has not confirmed. Above it nothing is sent. */
const mostPending = 8 * 1024 * 1024
/** After so many bytes it is asked to. */
const confirmEach = 256 * 1024

const firstWaitMilliseconds = 250
const longestWaitMilliseconds = 8_000
const quietMilliseconds = 60_000

export interface NatsBusOptions {
  readonly config: NatsConfig
  /** Names of those who serve the database, and of this process among them. */
  readonly cluster: string
  readonly process: string
  /** Called where it is away or does not do what it should, at most once a minute, and when it is back. */
  readonly tell: (text: string) => void
}

/** What was sent by one connection. */
class Sending {
  readonly connection: NatsConnection
  #sent = 0
  #confirmed = 0
  #isAsking = false

  constructor(connection: NatsConnection) {
    this.connection = connection
  }

  /** False: it is lost. */
  send(subject: string, text: string): boolean {
    const bytes = Buffer.from(text)
    if (this.#sent - this.#confirmed + bytes.length > mostPending) return false
    try {
      this.connection.publish(subject, bytes)
    } catch {
      return false
    }
    this.#sent += bytes.length
    this.#ask()
    return true
  }

  #ask(): void {
    if (this.#isAsking || this.#sent - this.#confirmed < confirmEach) return
    this.#isAsking = true
    const asked = this.#sent
    this.connection.flush().then(
      () => {
        this.#isAsking = false
        this.#confirmed = asked
        this.#ask()
      },
      // It is closed: the next one has its own.
      () => {},
    )
  }
}

/** Answers why it was lost. A server that does not answer is told apart here: the client waits for it to take what is to be sent. */
const untilLost = (connection: NatsConnection, onFault: (reason: string) => void) =>
  new Promise<string>((resolve) => {
    const watch = async () => {
      for await (const status of connection.status())
        if (status.type === "error") onFault(oneLine(status.error))
        else if (status.type === "staleConnection") resolve("it does not answer")
    }
    void watch()
    void connection
      .closed()
      .then((error) => resolve(error instanceof Error ? oneLine(error) : "the connection was lost"))
  })

/** `close` ends the connection, and that it is made again. */
export const openNatsBus = (options: NatsBusOptions): Bus & { readonly close: () => Promise<void> } => {
  const { config, cluster, tell } = options
  const listeners: Array<(text: string) => void> = []
  const wanted = new Set<{ readonly realm: number; subscription: Subscription | null }>()
  let sending: Sending | null = null
  let ended = false
  let pausing: { readonly timer: NodeJS.Timeout; readonly go: () => void } | null = null
  let isTold = false
  let toldAt = Number.NEGATIVE_INFINITY

  const subjectOf = (realm: number): string => `parley.${cluster}.${realm}`

  const fault = (reason: string): void => {
    if (performance.now() - toldAt < quietMilliseconds) return
    isTold = true
    toldAt = performance.now()
    tell(`NATS does not carry what processes tell each other, they hear of it within a second: ${reason}`)
  }

  const hear = (error: Error | null, text: () => string): void => {
    if (error !== null) return fault(oneLine(error))
    try {
      for (const listener of listeners) listener(text())
    } catch (defect) {
      // An error here would end the client's reading for good.
      fault(oneLine(defect))
    }
  }

  const subscribeAt = (connection: NatsConnection, realm: number): Subscription =>
    connection.subscribe(subjectOf(realm), { callback: (error, message) => hear(error, () => message.string()) })

  /** Until the connection is lost. */
  const serve = async (connection: NatsConnection): Promise<string> => {
    for (const each of wanted) each.subscription = subscribeAt(connection, each.realm)
    sending = new Sending(connection)
    if (isTold) tell("NATS carries again what processes tell each other")
    isTold = false
    const reason = await untilLost(connection, fault)
    sending = null
    for (const each of wanted) each.subscription = null
    await connection.close()
    return reason
  }

  const pause = (milliseconds: number) =>
    new Promise<void>((go) => {
      pausing = { timer: setTimeout(go, milliseconds).unref(), go }
    })

  const run = async (): Promise<void> => {
    const { servers } = config
    let wait = firstWaitMilliseconds
    // Each process begins with another one.
    for (let turn = Math.floor(Math.random() * servers.length); !ended; turn++) {
      const server = servers[turn % servers.length] ?? ""
      try {
        const connection = await openConnection(config, server, `parley ${options.process}`)
        if (ended) return await connection.close()
        const began = performance.now()
        const reason = await serve(connection)
        if (!ended) fault(`${server}: ${reason}`)
        if (performance.now() - began > longestWaitMilliseconds) wait = firstWaitMilliseconds
      } catch (error) {
        if (!ended) fault(`${server}: ${oneLine(error)}`)
      }
      if (!ended) await pause(wait * (0.5 + Math.random() / 2))
      wait = Math.min(2 * wait, longestWaitMilliseconds)
    }
  }
  void run()

  return {
    longest: () => {
      const most = sending?.connection.info?.max_payload ?? Number.POSITIVE_INFINITY
      return Math.min(mostBytes, Math.floor(most * sealedShare))
    },
    publish: async (messages) => {
      let sent = 0
      for (const { realm, text } of messages) if (sending?.send(subjectOf(realm), text) === true) sent += 1
      return sent
    },
    subscribe: (realm) => {
      const connection = sending?.connection
      // One that is closed already has not told so yet.
      const isOpen = connection !== undefined && !connection.isClosed()
      const each = { realm, subscription: isOpen ? subscribeAt(connection, realm) : null }
      wanted.add(each)
      return () => {
        wanted.delete(each)
        each.subscription?.unsubscribe()
      }
    },
    listen: (listener) => void listeners.push(listener),
    isUp: () => sending !== null,
    close: async () => {
      ended = true
      if (pausing !== null) {
        clearTimeout(pausing.timer)
        pausing.go()
      }
      await sending?.connection.close()
    },
  }
}
