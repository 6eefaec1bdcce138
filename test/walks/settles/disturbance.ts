/** Writing without pause, beside actions whose events must settle all the same. */
import type { Person } from "../../kit/client.ts"

/** Two clients that send, subscribe and unsubscribe without pause, and try again while the server is away. */
export const disturbance = (othello: Person, cordelia: Person, others: ReadonlyArray<number>) => {
  const subscribeTo = (person: Person, names: ReadonlyArray<string>, principals: ReadonlyArray<number>) =>
    person.must.post("/users/me/subscriptions", { subscriptions: names.map((name) => ({ name })), principals })
  const leave = (person: Person, names: ReadonlyArray<string>) =>
    person.must.delete("/users/me/subscriptions", { subscriptions: names })
  return async (running: () => boolean): Promise<void> => {
    const repeat = async (round: (n: number) => Promise<unknown>) => {
      for (let n = 0; running(); n++) await round(n).catch(() => new Promise((resolve) => setImmediate(resolve)))
    }
    await Promise.all([
      repeat(async (n) => {
        await subscribeTo(othello, ["noise", `noise of othello ${n % 5}`], others)
        await othello.send("noise", `noise ${n}`)
        await leave(othello, [`noise of othello ${n % 5}`])
      }),
      repeat(async (n) => {
        await subscribeTo(cordelia, [`noise of cordelia ${n % 5}`], others)
        await cordelia.must.post("/messages", { type: "direct", to: others, content: `noise ${n}` })
        await leave(cordelia, [`noise of cordelia ${n % 5}`])
      }),
    ])
  }
}
