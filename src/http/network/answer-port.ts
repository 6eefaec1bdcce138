/** What all answers on a port share (uws-response.ts). Made by uws.ts. */
export interface AnswerPort {
  /** Gets the errors that are thrown by tasks which the native side calls. */
  readonly fault: (fault: unknown) => void
  /** Each answer is the last one of its connection. */
  readonly isEnding: boolean
}
