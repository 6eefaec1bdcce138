/** The program broke a promise. Any other error is a bug of the test. */
export class Violation extends Error {
  constructor(promise: string) {
    super(promise)
    this.name = "Violation"
  }
}
