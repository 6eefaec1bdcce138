/** The clock of `withServer`: that of the kit which is exported. */
export { type ManualClock, manualClock } from "../../src/testing/test-clock.ts"
