/**
 * The database's clock as a process knows it that asks for the time once a second: the answer is of some moment of its round trip, so
 * of the newest answers the one with the shortest counts, taken for its middle.
 */

interface ClockReading {
  /** What is added to the own clock. */
  readonly offset: number
  readonly roundTrip: number
}

/** Answers of which the best is taken: clocks drift by less than a tenth of a millisecond meanwhile. */
const newest = 10

export interface DatabaseClock {
  /** `time`: the answer; `asked`, `answered`: when, by the own clock. Milliseconds. */
  readonly heard: (time: number, asked: number, answered: number) => void
  /** Milliseconds since 1970, with fractions; before the first answer those of the own machine. */
  readonly now: () => number
}

/** `elapsed`: milliseconds of a clock that is never set. */
export const makeDatabaseClock = (elapsed: () => number): DatabaseClock => {
  let readings: ReadonlyArray<ClockReading> = []
  let offset = Date.now() - elapsed()
  return {
    heard: (time, asked, answered) => {
      const reading = { offset: time - (asked + answered) / 2, roundTrip: answered - asked }
      readings = [...readings, reading].slice(-newest)
      const best = readings.reduce((one, other) => (other.roundTrip <= one.roundTrip ? other : one))
      // A clock that was set tells another time from one answer to the next: what was heard before does not count any more.
      const isSet = Math.abs(reading.offset - best.offset) > reading.roundTrip + best.roundTrip + 1
      if (isSet) readings = [reading]
      offset = isSet ? reading.offset : best.offset
    },
    now: () => elapsed() + offset,
  }
}
