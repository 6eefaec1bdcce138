/** Why nothing can be measured: one line for whoever gave the orders. */
export class Unfit extends Error {
  override readonly name = "Unfit"
}
