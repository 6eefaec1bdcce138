/**
 * The cost of rendering a message on the server's own thread, names looked up already. Needs no server. The worst
 * contents are those that a message may have before it goes to the renderer's thread: 1,000 characters.
 */
import type { MarkdownNames } from "../../src/chat/text/markdown/context/markdown-names.ts"
import { namesIn } from "../../src/chat/text/markdown/context/markdown-names.ts"
import { renderAtOnce } from "../../src/chat/text/markdown/rendering/render.ts"
import { median } from "../../src/command-line/bench/statistics.ts"
import { ChannelId, UserId } from "../../src/ids.ts"
import type { Row, Scenario } from "../scenario.ts"

const names: MarkdownNames = {
  users: new Map([["King Hamlet", { id: UserId(9), name: "King Hamlet", isInactive: false }]]),
  groups: new Map(),
  channels: new Map([["Verona", { id: ChannelId(3), name: "Verona", newest: new Map() }]]),
  customEmoji: new Map(),
  previews: null,
  linkifiers: [],
  host: "chat.example.com",
  codeLanguage: "",
}
const issues = { id: 1, pattern: "#(?P<id>[0-9]{2,8})", url_template: "https://issues.example.com/{id}" }

const chat =
  "Hey @**King Hamlet**, did you see the **new** build? It fails with `TypeError: x is undefined`, see " +
  "https://ci.example.com/job/123 and #**Verona>builds**. I think we can fix #45 today :smile:"
const plain =
  "The quick brown fox jumps over the lazy dog and runs away from the hunter, who did not see it in the wood " +
  "because the sun was low, the leaves were many, and his old dog had fallen asleep long ago."

const worst = (piece: string): string => piece.repeat(1000 / piece.length)

const contents: ReadonlyArray<{ readonly label: string; readonly content: string; readonly names: MarkdownNames }> = [
  { label: "200 characters of chat", content: chat, names },
  { label: "chat, one linkifier", content: chat, names: { ...names, linkifiers: [issues] } },
  { label: "200 characters without markup", content: plain, names },
  ...["[", "*a ", "@**", "> ", "* * * * * a\n", "a|b\n-|-\n", "👍", "👩‍", "http://", "- a\n", "```quote\n"].map(
    (piece) => ({
      label: `worst: ${JSON.stringify(piece)}`,
      content: worst(piece),
      names,
    }),
  ),
]

/** Microseconds of the processor's time, because other programs take turns with a thread that never waits. */
const measure = (content: string, known: MarkdownNames, milliseconds: number): number => {
  const render = () => {
    namesIn(content)
    return renderAtOnce(content, known)
  }
  const end = performance.now() + milliseconds
  while (performance.now() < end) render()
  const before = process.cpuUsage()
  const began = performance.now()
  let count = 0
  for (; performance.now() - began < milliseconds; count++) render()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

export const markdown: Scenario = {
  name: "markdown",
  about: "what it costs to render a message",
  targets: {
    "CPU µs": [
      { most: 20, of: /without markup/ },
      { most: 60, of: /chat/ },
      { most: 10_000, of: /worst/ },
    ],
  },
  run: async ({ seconds, rounds, progress }) => {
    const milliseconds = Math.min(200, (1000 * seconds) / contents.length)
    // Until the compiler has done its work, it takes most of the processor's time.
    for (const { content, names: known } of contents) measure(content, known, milliseconds)
    return contents.map(({ label, content, names: known }): Row => {
      progress(label)
      const times = Array.from({ length: rounds }, () => measure(content, known, milliseconds))
      return {
        label,
        figures: {
          characters: content.length,
          "bytes of HTML": renderAtOnce(content, known).html.length,
          "CPU µs": median(times),
        },
        remarks: [],
      }
    })
  },
}
