/**
 * Clients that read one queue each, by poll, by WebSocket with frames of either kind, or by both in turn. They stop reading for a while, drop
 * their connection in the middle, lose answers, forget what they had, and come back with the same queue and the last
 * id that they remember, before and after every crash of the server. Any close that the protocol does not allow is a
 * fault. Some read as programs do (client-reader.ts); the others do here what no good client does, on sockets of their own.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { eventsOf } from "../../kit/reader.ts"
import { connect, packedProtocol, type SocketClient, UpgradeRefused } from "../../kit/socket-client.ts"
import { readByClient } from "./client-reader.ts"
import type { Dice } from "./dice.ts"
import type { Reading } from "./reading.ts"
import { ask, type World } from "./world.ts"

export interface Habits {
  /** `client`: by `parley-server/client`, whichever it takes. */
  readonly transport: "poll" | "socket" | "both" | "client"
  /** Shares of turns that end in the middle, stand still for a while, begin with a loss of memory. */
  readonly drops: number
  readonly stalls: number
  readonly forgets: number
}

const longestTurnMilliseconds = 1_500
const longestStallMilliseconds = 2_000
/** Going away, no close frame, not available, slow, replaced, nothing acknowledged: come back. */
const harmlessCloses: ReadonlySet<number> = new Set([1001, 1006, 1013, 4003, 4004, 4005])

export class QueueClient {
  readonly reading: Reading
  readonly #world: World
  readonly #habits: Habits
  readonly #dice: Dice
  #socket: SocketClient | null = null

  constructor(world: World, reading: Reading, habits: Habits, dice: Dice) {
    this.#world = world
    this.reading = reading
    this.#habits = habits
    this.#dice = dice
  }

  /** Reads until the world stops. */
  async run(): Promise<void> {
    const { transport, forgets } = this.#habits
    if (transport === "client") return readByClient(this.#world, this.reading, this.#habits, this.#dice)
    while (this.#world.running()) {
      if (this.#dice.chance(forgets)) this.reading.forget(this.#dice.between(1, 60))
      const byPoll = transport === "poll" || (transport === "both" && this.#dice.chance(0.5))
      const went = await (byPoll ? this.#pollTurn() : this.#socketTurn())
      // The server is away: try again as clients do, a little later each time.
      if (!went) await sleep(this.#dice.between(10, 80))
    }
  }

  /** Reads all that there is, without waiting for more. */
  async finish(): Promise<void> {
    this.#leaveSocket()
    const giveUpAt = performance.now() + 60_000
    while (performance.now() < giveUpAt) {
      const before = this.reading.lastId
      if (!(await this.#poll({ dont_block: true }))) await sleep(20)
      else if (this.reading.lastId === before) return
    }
    this.#world.faults.add(`${this.reading.name} did not come to the end of its queue`)
  }

  async #pollTurn(): Promise<boolean> {
    const dice = this.#dice
    for (let left = dice.between(1, 30); left > 0 && this.#world.running(); left--) {
      if (dice.chance(this.#habits.drops / 4)) this.#startOver()
      const leaves = dice.chance(this.#habits.drops / 4)
      const signal = AbortSignal.timeout(leaves ? dice.between(1, 300) : longestTurnMilliseconds)
      if (!(await this.#poll({ dont_block: dice.chance(0.1) }, signal))) return false
      this.#leaveSocket()
      if (dice.chance(this.#habits.stalls / 10)) await sleep(dice.between(50, longestStallMilliseconds))
      await sleep(dice.below(25))
    }
    return true
  }

  /** A poll whose answer is lost: the next poll replaces it before it is answered, perhaps with an older id. */
  #startOver(): void {
    const { owner, queueId, lastId } = this.reading
    const parameters = { queue_id: queueId, last_event_id: lastId }
    void ask(this.#world, owner, "GET", "/events", parameters, AbortSignal.timeout(longestTurnMilliseconds))
    if (this.#dice.chance(0.5)) this.reading.forget(this.#dice.between(1, 20))
  }

  async #poll(fields: { readonly dont_block: boolean }, signal?: AbortSignal): Promise<boolean> {
    const { reading } = this
    const parameters = { queue_id: reading.queueId, last_event_id: reading.lastId, ...fields }
    const outcome = await ask(this.#world, reading.owner, "GET", "/events", parameters, signal)
    if (outcome.kind !== "answer") return outcome.kind === "lost" && signal?.aborted === true
    const { status, body } = outcome.answer
    if (status !== 200) {
      this.#world.faults.add(`${reading.name} was refused: ${JSON.stringify(body)}`)
      return false
    }
    // An answer that is lost on its way is asked for again.
    if (signal !== undefined && this.#dice.chance(this.#habits.drops / 4)) return true
    reading.take(eventsOf(body["events"]))
    return true
  }

  async #socketTurn(): Promise<boolean> {
    const dice = this.#dice
    const socket = await this.#open()
    if (socket === null) return false
    const stall = dice.chance(this.#habits.stalls) ? this.#stall(socket) : 0
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), stall + dice.between(50, longestTurnMilliseconds))
    })
    try {
      for (;;) {
        const text = await Promise.race([socket.next(), over])
        // The connection is left without reading further frames, as by a client that crashed.
        if (text === null || dice.chance(this.#habits.drops / 20)) return this.#part(socket)
        this.reading.take(eventsOf(JSON.parse(text)))
        if (dice.chance(0.7)) socket.say({ ack: this.reading.lastId })
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw error
      const { code, reason } = await socket.closed
      if (!harmlessCloses.has(code)) this.#world.faults.add(`${this.reading.name} was closed: ${code} ${reason}`)
      return true
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the connection: abruptly, by a close frame, or by the next connection that replaces it. */
  #part(socket: SocketClient): true {
    const way = this.#dice.below(3)
    if (way === 0) socket.close()
    if (way === 1) socket.destroy()
    return true
  }

  /** Stops reading for a while; answers the milliseconds until it reads again. */
  #stall(socket: SocketClient): number {
    const begin = this.#dice.between(0, 300)
    const end = begin + this.#dice.between(300, longestStallMilliseconds)
    setTimeout(() => socket.pause(), begin)
    setTimeout(() => socket.resume(), end)
    return end
  }

  async #open(): Promise<SocketClient | null> {
    const { owner, queueId, lastId, name } = this.reading
    const former = this.#socket
    try {
      this.#socket = await connect({
        port: this.#world.server.port,
        path: `/api/v1/events/ws?queue_id=${queueId}&last_event_id=${lastId}`,
        headers: { Authorization: `Basic ${Buffer.from(`${owner.email}:${owner.key}`).toString("base64")}` },
        protocol: this.#dice.chance(0.5) ? "parley.v1.json" : packedProtocol,
      })
      return this.#socket
    } catch (error) {
      this.#socket = null
      if (error instanceof UpgradeRefused && error.status !== 503) this.#world.faults.add(`${name}: ${error.message}`)
      return null
    } finally {
      former?.destroy()
    }
  }

  #leaveSocket(): void {
    this.#socket?.destroy()
    this.#socket = null
  }
}
