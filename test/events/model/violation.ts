/** The program broke a promise: what the model test is there to find. Any other error is a bug of the test. */
export class Violation extends Error {
  constructor(promise: string) {
    super(promise)
    this.name = "Violation"
  }
}
