import t from "tap"
import { isLight, wordsOfFences } from "../../../../src/chat/text/markdown/rendering/render-weight.ts"

t.test("what is short and plain is rendered at once", async (t) => {
  const light = [
    "a",
    "x".repeat(1000),
    "$5 and $6",
    "$$ alone",
    "```\ncode\n```",
    "```quote\na\n```",
    "> ~~~ spoiler b\n> c\n> ~~~",
  ]
  const heavy = ["x".repeat(1001), "$$x$$", "```math\nx\n```", "```py\nx\n```", "> ```js\n> x\n> ```", "~~~ C++\nx"]
  for (const content of light) t.ok(isLight(content, ""), content.slice(0, 20))
  for (const content of heavy) t.notOk(isLight(content, ""), content.slice(0, 20))
  t.ok(isLight("a", "python"))
  for (const content of ["```\ncode\n```", "a\n\n    code", "\tcode"]) t.notOk(isLight(content, "python"), content)
  t.strictSame(wordsOfFences("```quote\n```py\n```\n~~~ js\n~~~"), new Set(["py", "js"]))
})
