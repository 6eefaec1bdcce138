/** What bots add to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { everybodySees, ofOneself, post } from "../../../walks/hidden/parts.ts"
import { json, name, times, type WorstCase } from "../../../walks/worst-cases/values.ts"

const path = "/bots"
const bot = { full_name: "Echo", short_name: "echo" }
const url: WorstCase = { most: 2000, values: (length) => ["https://x.example/".padEnd(length, "a")] }

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "400 BAD_REQUEST: a bot inside of the server",
        ask: ({ ask }) => ask({ method: "POST", path, form: { ...bot, bot_type: 4 } }),
        want: refusal("Embedded bots are not enabled."),
      },
    ],
  },
  levels: [
    {
      row: "bots are made and listed",
      ask: async ({ ask }) => {
        const { body } = await ask({ method: "POST", path, form: bot })
        return { made: body, listed: (await ask({ path })).body }
      },
      want: { made: { user_id: Number, api_key: String }, listed: { bots: [{ full_name: "Echo", services: [] }] } },
    },
  ],
  leaks: { [`POST ${path}`]: [{ who: ["polonius"], fields: bot, want: refusal("Insufficient permission") }] },
  hidden: {
    questions: () => ({
      [`GET ${path}`]: ofOneself,
      [`POST ${path}`]: {
        channelName: [
          (channel) => post(path, { ...bot, default_sending_stream: channel }),
          (channel) => post(path, { ...bot, default_events_register_stream: channel }),
        ],
      },
      [`PATCH ${path}/{bot_id:int}`]: "names bots, whom everybody sees, and channels as POST /bots does",
      [`DELETE ${path}/{bot_id:int}`]: everybodySees,
      [`GET ${path}/{bot_id:int}/api_key`]: everybodySees,
      [`POST ${path}/{bot_id:int}/api_key/regenerate`]: everybodySees,
    }),
  },
  garbage: {
    texts: [
      "Invalid bot type",
      "Invalid interface type",
      "payload_url is not a URL",
      "service_payload_url is not a URL",
      "config_data has an invalid key",
    ],
  },
  worstCases: {
    short_name: name,
    default_sending_stream: name,
    default_events_register_stream: name,
    payload_url: url,
    service_payload_url: url,
    config_data: {
      most: 50,
      values: (count) => [json(Object.fromEntries(times(count, (n) => [`key ${n}`, "a".repeat(1000)])))],
    },
  },
})
