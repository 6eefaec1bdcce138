/** What each service's payloads become, and that nothing they may hold is too much for the formats. */
import * as Predicate from "effect/Predicate"
import t from "tap"
import type { WebhookResult } from "../../../../src/chat/sending/webhooks/formats/webhook-result.ts"
import { integrations } from "../../../../src/chat/sending/webhooks/integrations.ts"
import { moreOfGithub } from "./github-payloads.ts"
import { samples as first, type Sample } from "./payloads.ts"

const samples = [...first, ...moreOfGithub]

const hear = ({ integration, event }: Pick<Sample, "integration" | "event">, payload: unknown): WebhookResult => {
  const found = integrations.find(({ name }) => name === integration)
  if (found === undefined) throw new Error(`there is no ${integration}`)
  return found.format(payload, event)
}

t.test("what is sent becomes what is said", async (t) => {
  for (const sample of samples) {
    const heard = hear(sample, sample.payload)
    const name = `${sample.integration} ${sample.event}`
    if (sample.said === null) t.ok("ignoredEvent" in heard, `${name} is ignored`)
    else t.match(heard, sample.said, name)
  }
  t.strictSame(
    integrations.map(({ name }) => name).filter((name) => !samples.some(({ integration }) => integration === name)),
    [],
    "every integration has samples",
  )
})

t.test("what cannot come from the service is refused", async (t) => {
  const refused = (integration: string, payload: unknown, event = "") =>
    t.ok("refused" in hear({ integration, event }, payload), `${integration}: ${JSON.stringify(payload)}`)
  refused("github", {})
  refused("gitlab", {})
  refused("alertmanager", { hello: 1 })
  refused("grafana", [])
  refused("slack_incoming", { text: "  " })
  refused("json", { content: "" })
})

const oddTexts = [
  "",
  "x",
  "\u0000\n~~~~",
  "9".repeat(50_000),
  `x${"\u{1F600}".repeat(30_000)}`,
  "constructor",
  "__proto__",
]
const garbage = [null, 0, -1.5, true, ...oddTexts, [], [null, [1], {}], {}, { a: 1 }]

/** Each value with one part replaced, at any depth. */
function* mutations(value: unknown): Generator<unknown> {
  yield* garbage
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const other of mutations(item)) yield value.with(index, other)
  } else if (Predicate.isObject(value)) {
    for (const key of Object.keys(value)) {
      const { [key]: mine, ...rest } = Object(value)
      yield rest
      for (const other of mutations(mine)) yield { ...rest, [key]: other }
    }
  }
}

t.test("no payload is too odd", async (t) => {
  let count = 0
  const odd: Array<string> = []
  for (const sample of samples)
    for (const payload of mutations(sample.payload)) {
      count += 1
      const heard = hear(sample, payload)
      const texts = Object.values(heard)
      if (texts.some((text) => !Predicate.isString(text))) odd.push(JSON.stringify(heard))
      if (texts.some((text) => !text.isWellFormed())) odd.push("a text is cut within a character")
      // What is none of the mutations, but their fault, would show in the text.
      if ("content" in heard && /undefined|NaN|\[object|native code/.test(heard.content)) odd.push(heard.content)
      if ("content" in heard && sample.integration !== "json" && heard.content.length > 40_000) odd.push("too long")
    }
  t.strictSame(odd, [])
  t.ok(count > 5000, `${count} payloads`)
})

t.test("names are no markup", async (t) => {
  const names = [
    "@**all**",
    "@*hamletcharacters*",
    "#**lobby**",
    "`code`",
    "**bold**",
    "[a](https://x.example)",
    "~~s~~",
    "$$x$$",
  ]
  for (const sample of samples.filter(({ integration }) => integration === "github" || integration === "gitlab")) {
    for (const name of names) {
      const text = JSON.stringify(sample.payload).replaceAll(
        /"(login|title|name|ref_type|stage|user_name)":"[^"]*"/g,
        `"$1":"${name}"`,
      )
      const heard = hear(sample, JSON.parse(text))
      if (!("content" in heard)) continue
      const [spoken = ""] = heard.content.split("\n~~~~ quote", 1)
      t.notOk(spoken.replaceAll(/`[^`]*`/g, "").includes(name), `${sample.event} ${name}: ${spoken}`)
    }
  }
})
