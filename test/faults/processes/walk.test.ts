/**
 * I7 and I12 with three processes: each request of an action goes to another process than the one before it, so what it reads,
 * and what it is judged by, was written through another; and then all three have the same organization in memory.
 */
import t, { type Test } from "tap"
import { absentMailServer } from "../../kit/absent-mail-server.ts"
import type { Fields } from "../../kit/client.ts"
import { faultyBus } from "../../kit/faulty-bus.ts"
import { describeRealm } from "../../kit/projection.ts"
import { rotating } from "../../kit/rotating.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { type ServersSetup, withServers } from "../../kit/with-servers.ts"
import { channelActions } from "../../walks/settles/channels.ts"
import { deletionActions } from "../../walks/settles/deletions.ts"
import { editActions } from "../../walks/settles/edits.ts"
import { flagActions } from "../../walks/settles/flags.ts"
import { groupActions } from "../../walks/settles/groups.ts"
import { moveActions } from "../../walks/settles/moves.ts"
import { peopleActions } from "../../walks/settles/people.ts"
import { type Action, channels } from "../../walks/settles/scene.ts"

const walk = async (t: Test, servers: ReadonlyArray<TestServer>, actions: ReadonlyArray<Action>): Promise<void> => {
  const server = rotating(servers)
  for (const { what, act } of actions) {
    await act(server)
    const { position } = server.realm.feed
    for (const each of servers) {
      await each.as("hamlet").get("/users/me", {})
      if (each.realm.feed.position < position) t.fail(`${what}: it was not there yet`)
    }
  }
  const [first, ...others] = servers
  const described = first === undefined ? null : describeRealm(first.realm.realm)
  for (const each of others) t.same(describeRealm(each.realm.realm), described, "I12")
  const states: Array<Fields> = []
  for (const each of servers) {
    const { queue_id: _, ...state } = await each.as("hamlet").must.post("/register", {})
    states.push(state)
  }
  for (const state of states) t.same(state, states[0], "the state at register")
}

const cases: ReadonlyArray<readonly [name: string, actions: ReadonlyArray<Action>, setup: ServersSetup]> = [
  ["people, who tell each other nothing", peopleActions, { bus: "none" }],
  ["flags, moves, edits and deletions", [...flagActions, ...moveActions, ...editActions, ...deletionActions], {}],
  ["channels, by a faulty bus", channelActions, { carry: faultyBus }],
  ["groups, who tell each other nothing", groupActions, { bus: "none" }],
]

for (const [name, actions, setup] of cases)
  t.test(name, (t) =>
    withServers(
      t,
      3,
      { channels, config: { mail: absentMailServer, externalUrl: "http://chat.example" }, ...setup },
      (servers) => walk(t, servers, actions),
    ),
  )
