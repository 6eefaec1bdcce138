/**
 * How long a message that waits may be sent by itself. The server knows a send again for a day after it was posted: within that it may
 * be tried as often as one likes. After it nobody can tell whether an earlier try, whose answer was lost, has posted it.
 */

/** A day of the server's, less what a try and clocks that differ may take. */
const knownMilliseconds = 22 * 3_600_000
/** A clock that was put back says nothing of how long ago it was. */
const slackMilliseconds = 5 * 60_000

/** `time`: Unix seconds at which it was written; `now`: milliseconds, by the same clock. */
export const maySendAgain = (time: number, now: number): boolean => {
  const age = now - time * 1000
  return age > -slackMilliseconds && age < knownMilliseconds
}

/** What follows a text stands apart from it. */
export const following = (typed: string, text: string): string => (/\S$/.test(typed) ? ` ${text}` : text)

/** A text that comes back into what has been typed meanwhile stands before it. */
export const joined = (back: string, typed: string): string => (typed.trim() === "" ? back : `${back}\n\n${typed}`)
