/**
 * Several servers of one database as one server for tests: each request goes to the next of them, so whatever is read was
 * written through another one.
 */
import type { Person } from "./client.ts"
import type { TestServer } from "./with-server.ts"

/** A person whose requests go to what `next` answers; `after` is awaited when a request has been answered. */
const rotatingPerson = (next: () => Person, after: () => Promise<void>): Person => {
  const then = async <A>(answer: Promise<A>): Promise<A> => {
    const answered = await answer
    await after()
    return answered
  }
  return {
    account: next().account,
    get: (...call) => then(next().get(...call)),
    post: (...call) => then(next().post(...call)),
    put: (...call) => then(next().put(...call)),
    patch: (...call) => then(next().patch(...call)),
    delete: (...call) => then(next().delete(...call)),
    must: {
      get: (...call) => then(next().must.get(...call)),
      post: (...call) => then(next().must.post(...call)),
      put: (...call) => then(next().must.put(...call)),
      patch: (...call) => then(next().must.patch(...call)),
      delete: (...call) => then(next().must.delete(...call)),
    },
    send: (...call) => then(next().send(...call)),
  }
}

/**
 * The first of `servers`, of which people ask all in turn. The test looks into the memory of the first, which is brought up to
 * what the others have committed after each request.
 */
export const rotating = (servers: ReadonlyArray<TestServer>): TestServer => {
  const [first] = servers
  if (first === undefined) throw new Error("there is no server")
  let turn = 0
  const next = (): TestServer => servers[turn++ % servers.length] ?? first
  const after = () => first.run(first.realm.peers.fresh)
  const as: TestServer["as"] = (name) => rotatingPerson(() => next().as(name), after)
  const asEmail: TestServer["asEmail"] = (email) => {
    const { account } = first.asEmail(email)
    return rotatingPerson(() => next().withAccount(account), after)
  }
  return Object.create(first, { as: { value: as }, asEmail: { value: asEmail } })
}
