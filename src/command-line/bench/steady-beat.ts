/**
 * A steady pace by the clock, not by the number of times that a timer has fired: timers are late, and whole milliseconds long.
 * What is late is made up for, but no more than a second's worth of it: a pace that was missed for longer stays missed.
 */
const mostArrearsMilliseconds = 1000

/** Between two looks at the clock: shorter than the time between two messages, as far as timers go. */
export const lookMilliseconds = (perSecond: number): number => Math.max(1, Math.min(10, 250 / perSecond))

/** Times are milliseconds of one clock. */
export class SteadyBeat {
  readonly #perSecond: number
  #from: number
  #sent = 0

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#from = now
  }

  /** Messages that should have been sent by now and are not. */
  owed(now: number): number {
    const due = () => Math.floor(((now - this.#from) * this.#perSecond) / 1000) - this.#sent
    const most = Math.max(1, Math.floor((mostArrearsMilliseconds * this.#perSecond) / 1000))
    if (due() > most) this.#sent += due() - most
    return due()
  }

  sent(): void {
    this.#sent++
  }

  /** Owes nothing from before this time. */
  restart(from: number): void {
    this.#from = from
    this.#sent = 0
  }
}

/** The share of a pace that may be missed without a word, beside one message that the end may cut off. */
const tolerance = 0.05

/** In words, where fewer messages were sent than were asked for; null where the pace was kept. */
export const missedPace = (messages: number, perSecond: number, seconds: number): string | null =>
  messages + 1 >= (1 - tolerance) * perSecond * seconds
    ? null
    : `${(messages / seconds).toPrecision(3)} messages a second instead of ${perSecond}: the pace was not kept`
