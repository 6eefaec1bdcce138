/**
 * Clients that send over HTTP: they retry under the same local id after a lost answer or a 503; some give up, some
 * disconnect early, some send twice at once or again long after. Every answer is recorded; audit.ts compares the
 * answers with the log.
 */
import type { Dice } from "./dice.ts"
import { ask, type Member, rest, type World } from "./world.ts"

export type SendAnswer =
  | { readonly kind: "sent"; readonly id: number }
  /** 503: certainly not done. */
  | { readonly kind: "unavailable" }
  /** Never reached the server. */
  | { readonly kind: "refused" }
  | { readonly kind: "lost" }

export interface Send {
  /** The unique word that the content begins with. */
  readonly token: string
  readonly sender: Member
  readonly content: string
  /** A channel's name, or people's ids. */
  readonly to: string | ReadonlyArray<number>
  readonly origin: { readonly queueId: string; readonly localId: string } | null
  readonly answers: Array<SendAnswer>
}

export const isAcknowledged = (send: Send): boolean => send.answers.some(({ kind }) => kind === "sent")

/** Milliseconds that a client that never gives up may have to wait for its answer once all is well again. */
const patienceMilliseconds = 60_000
const longestPauseMilliseconds = 25

/** How clients behave, as shares of their sends. */
export interface Temper {
  /** The client leaves before the answer is there. */
  readonly leaves: number
  /** The client gives up after a few tries. */
  readonly givesUp: number
}

export interface SendersOptions {
  readonly world: World
  readonly dice: Dice
  /** The queue that a person's clients send through. */
  readonly queueOf: (person: Member) => string
  /** Further channels that this person may send to. */
  readonly channelsOf: (person: Member) => ReadonlyArray<string>
  readonly temper: Temper
  readonly onAnswer: (answer: SendAnswer) => void
}

const attempt = async ({ world, onAnswer }: SendersOptions, send: Send, patience: number | null): Promise<void> => {
  const { sender, content, to, origin, answers } = send
  const place = typeof to === "string" ? { type: "channel", to, topic: `about ${send.token}` } : { type: "direct", to }
  const echo = origin === null ? {} : { queue_id: origin.queueId, local_id: origin.localId }
  const signal = patience === null ? undefined : AbortSignal.timeout(patience)
  const outcome = await ask(world, sender, "POST", "/messages", { ...place, content, ...echo }, signal)
  const note = (answer: SendAnswer) => {
    answers.push(answer)
    onAnswer(answer)
  }
  if (outcome.kind !== "answer") return note(outcome)
  const { status, body } = outcome.answer
  if (status === 200) return note({ kind: "sent", id: Number(body["id"]) })
  world.faults.add(`the send ${send.token} was answered with ${status}: ${JSON.stringify(body)}`)
  note({ kind: "lost" })
}

/** Tries until the send is acknowledged, at most `tries` times. */
const deliver = async (options: SendersOptions, send: Send, tries: number): Promise<void> => {
  const { world, dice, temper } = options
  let giveUpAt = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries && !isAcknowledged(send); n++) {
    if (n > 0) await rest(world, dice.between(5, 60))
    const patience = dice.chance(temper.leaves) ? dice.between(1, 12) : null
    const twin = send.origin !== null && dice.chance(0.05)
    await Promise.all(Array.from({ length: twin ? 2 : 1 }, () => attempt(options, send, patience)))
    if (!world.running()) giveUpAt = Math.min(giveUpAt, performance.now() + patienceMilliseconds)
    if (performance.now() > giveUpAt) return world.faults.add(`the send ${send.token} was never answered`)
  }
}

const chooseText = (dice: Dice, token: string): string => {
  const words = dice.chance(0.1) ? dice.between(200, 1200) : dice.between(1, 30)
  return `${token} ${"lorem ".repeat(words)}end`
}

const choosePlace = ({ world, dice, channelsOf }: SendersOptions, sender: Member): Send["to"] => {
  const others = world.people.filter(({ id }) => id !== sender.id).map(({ id }) => id)
  if (dice.chance(0.25)) return [dice.pick(others), ...dice.some(others, 0.1)]
  return dice.pick(["general", "general", ...channelsOf(sender)])
}

const newSend = ({ dice, queueOf }: SendersOptions, sender: Member, number: number, retries: boolean) => {
  const token = `m-${sender.id}-${dice.name.split("/").at(-1)}-${number}`
  const origin = retries ? { queueId: queueOf(sender), localId: `${token}.local` } : null
  return { token, sender, origin, answers: [] }
}

/** One client, until the world stops; answers all that it has sent. */
export const runSender = async (options: SendersOptions, sender: Member): Promise<ReadonlyArray<Send>> => {
  const { world, dice, temper } = options
  const sends: Array<Send> = []
  while (world.running()) {
    const fresh = newSend(options, sender, sends.length, dice.chance(0.9))
    const send: Send = { ...fresh, content: chooseText(dice, fresh.token), to: choosePlace(options, sender) }
    sends.push(send)
    // Without a local id a second try would be a second message.
    const tries = send.origin === null ? 1 : dice.chance(temper.givesUp) ? dice.between(1, 3) : Number.POSITIVE_INFINITY
    await deliver(options, send, tries)
    const earlier = dice.pick(sends)
    if (earlier.origin !== null && isAcknowledged(earlier) && dice.chance(0.05)) await attempt(options, earlier, null)
    await rest(world, dice.below(longestPauseMilliseconds))
  }
  return sends
}

/** Sends 0.5 to 1 MB at once, more than the buffers of a socket that is not read hold. Adds its sends to `sends`. */
export const flood = async (options: SendersOptions, sender: Member, sends: Array<Send>): Promise<void> => {
  const { dice } = options
  const wave = Array.from({ length: dice.between(50, 120) }, (_, index): Send => {
    const fresh = newSend(options, sender, sends.length + index, true)
    return { ...fresh, content: `${fresh.token} ${"ipsum ".repeat(1500)}end`, to: "general" }
  })
  sends.push(...wave)
  await Promise.all(wave.map((send) => deliver(options, send, Number.POSITIVE_INFINITY)))
}
