/** What the storage of bots adds to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { get, remove } from "../../../walks/hidden/parts.ts"
import { json, list, times } from "../../../walks/worst-cases/values.ts"

const path = "/bot_storage"

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "400 BAD_REQUEST: a key of the storage",
        ask: ({ ask }) => ask({ path, query: { keys: '["nothing"]' } }),
        want: refusal("Key does not exist."),
      },
    ],
  },
  hidden: {
    things: async (server) => {
      const [hidden, never] = ["kept", "none"]
      await server.as("cordelia").must.put(path, { storage: { [hidden]: "x" } })
      return (["hamlet", "polonius", null] as const).map((who) => ({ who, hidden, never }))
    },
    questions: () => ({
      [`GET ${path}`]: { thing: [(key) => get(path, { keys: [key] })] },
      [`DELETE ${path}`]: { thing: [(key) => remove(path, { keys: [key] })] },
      [`PUT ${path}`]: "is about the requester alone",
    }),
  },
  worstCases: {
    keys: list(1000, (n) => `key ${n}`),
    storage: {
      most: 1000,
      values: (count) => [json(Object.fromEntries(times(count, (n) => [`key ${n}`, "a".repeat(300)])))],
    },
  },
  garbage: {
    texts: ["storage has an invalid key"],
    fields: { [`PUT ${path}`]: { storage: { a: "b" } } },
  },
})
