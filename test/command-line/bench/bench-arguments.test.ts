/** The arguments of `parley bench`: what they become, what is refused in which words, and files of accounts. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import t from "tap"
import { accountsIn } from "../../../src/command-line/bench/accounts.ts"
import { makeBenchCommand } from "../../../src/command-line/bench/bench-arguments.ts"
import { readBy } from "../../../src/command-line/read-command.ts"
import { readCommand } from "../../../src/config/read-settings.ts"

const read = (...argv: ReadonlyArray<string>) =>
  Effect.runPromise(readBy(makeBenchCommand, ["bench", ...argv], "1.2.3"))

const plain = {
  scenarios: ["fan-out", "rate", "storm"],
  url: null,
  accounts: [],
  accountsFile: null,
  transport: "auto",
  queues: [10, 100],
  inFlight: [1, 16],
  perSecond: 10,
  seconds: 5,
  textBytes: 134,
  channel: null,
  json: false,
  plot: null,
}

t.test("what arguments become", async (t) => {
  const url = "http://127.0.0.1:9991"
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, object]> = [
    [[], {}],
    [["storm"], { scenarios: ["storm"] }],
    [["rate", "storm", "--url", url, "--json"], { scenarios: ["rate", "storm"], url, json: true }],
    [["--queues", "1,10,10000", "--in-flight=256"], { queues: [1, 10, 10_000], inFlight: [256] }],
    [
      ["--per-second", "1000", "--seconds", "600", "--text-bytes", "1"],
      { perSecond: 1000, seconds: 600, textBytes: 1 },
    ],
    [
      ["--account", "a@b.c:one", "--account", "d@e.f:two"],
      {
        accounts: [
          { email: "a@b.c", apiKey: "one" },
          { email: "d@e.f", apiKey: "two" },
        ],
      },
    ],
    [
      ["--accounts", "keys.json", "--channel", "load", "--transport", "poll", "--plot", "a.svg"],
      { accountsFile: "keys.json", channel: "load", transport: "poll", plot: "a.svg" },
    ],
  ]
  for (const [argv, expected] of cases) {
    const found = await read(...argv)
    if (found._tag !== "Wanted") throw new Error(JSON.stringify(found))
    t.same(found.wanted, { ...plain, ...expected }, argv.join(" "))
  }
})

t.test("what is refused is said in one line, which names the argument and what was expected", async (t) => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["walk"], /"walk"\. Expected: "fan-out" \| "rate" \| "storm"/],
    [["--queues", "0"], /--queues.*up to 8 whole numbers from 1 to 10000/],
    [["--queues", "10001"], /--queues/],
    [["--queues", "1.5"], /--queues/],
    [["--queues", "10,,20"], /--queues/],
    [["--queues", "1,2,3,4,5,6,7,8,9"], /--queues/],
    [["--in-flight", "257"], /--in-flight.*1 to 256/],
    [["--per-second", "1001"], /--per-second.*1 to 1000/],
    [["--seconds", "0"], /--seconds.*1 to 600/],
    [["--seconds", "601"], /--seconds/],
    [["--text-bytes", "10001"], /--text-bytes/],
    [["--url", "chat.example.com"], /--url.*http:\/\/ or https:\/\//],
    [["--url", "ftp://chat.example.com"], /--url/],
    [["--url", "https://chat.example.com/api"], /--url.*no path/],
    [["--url", "https://a:b@chat.example.com"], /--url/],
    [["--account", "a@b.c"], /--account.*with a colon between/],
    [["--account", "key:"], /--account/],
    [["--transport", "pigeon"], /--transport/],
    [["--port", "3"], /--port/],
  ]
  for (const [argv, why] of cases) {
    const found = await read(...argv)
    t.match(found, { _tag: "Refused", why }, argv.join(" "))
    if (found._tag === "Refused") t.match(found.why, /^parley bench: [^\n]+; parley bench --help lists what there is$/)
  }
})

t.test("what may be a key is not shown", async (t) => {
  const key = "Yq8tdN3vKx5WbR7mLc2fHs9jPz4gTa6e"
  for (const argv of [
    ["--account", key],
    [`--account=${key}`],
    ["--account", `a@b.c ${key}`],
    ["--account", `a@b.c:x y${key}`],
    ["--account", `:${key}`],
    ["--account", `a@b.c:${key}`, "--queues", "0"],
  ]) {
    const found = await read(...argv)
    t.match(found, { _tag: "Refused" }, argv.join(" "))
    t.notMatch(JSON.stringify(found), key)
  }
})

t.test("help says what there is and how much at most; the word is the first of the line", async (t) => {
  const found = await read("--help")
  if (found._tag !== "Help") throw new Error(found._tag)
  for (const part of [
    "fan-out",
    "storm",
    "list of processes",
    "the messages stay",
    "--url address",
    "--account email:key",
    "--plot file",
    "At most 10000",
  ])
    t.ok(found.text.includes(part), part)
  const argv = ["bench", "--queues", "5"]
  t.match(readCommand({ PARLEY_PORT: "x" }, argv), Result.succeed({ _tag: "Bench", argv }))
  t.match(readCommand({}, ["--data-dir", "bench"]), Result.succeed({ _tag: "Serve" }))
})

t.test("files of accounts: a list, or what parley test-server prints", async (t) => {
  const accounts = [{ email: "a@b.c", apiKey: "k" }]
  t.same(accountsIn('[{"email": "a@b.c", "api_key": "k"}]'), accounts)
  t.same(accountsIn('{"url": "http://x", "people": [{"name": "a", "email": "a@b.c", "apiKey": "k"}]}\n'), accounts)
  t.same(accountsIn('[{"email": "a@b.c"}]'), [], "one without a key is none")
  for (const text of ["", "[1]", "{}", '{"people": 1}', "not JSON"]) t.equal(accountsIn(text), undefined, text)
})
