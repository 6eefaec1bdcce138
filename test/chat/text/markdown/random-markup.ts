/** Random and mutated contents, made to find where the renderer lets something through. */
import type { Random } from "../../../events/model/random.ts"
import { uploads } from "./some-names.ts"

const pieces = [
  "*",
  "**",
  "***",
  "_",
  "~~",
  "`",
  "``",
  "```",
  "~~~",
  "```quote\n",
  "```spoiler a\n",
  "```math\n",
  "```py\n",
  "$$",
  "$",
  "> ",
  "- ",
  "1. ",
  "    ",
  "# ",
  "---",
  "|",
  "|-|-|\n",
  "\n",
  "\n\n",
  " ",
  "\t",
  "\\",
  "&",
  "&lt;",
  "&#58;",
  "&amp;",
  "&#42;",
  "&#0;",
  "&gt;",
  "（",
  "）",
  "“",
  "”",
  "。",
  "<",
  ">",
  '"',
  "'",
  "[",
  "]",
  "(",
  ")",
  "](",
  "](javascript:alert(1))",
  "](data:text/html,x)",
  "](//e.example)",
  "](/\\e.example)",
  '" onload="x',
  "https://",
  "http://a.example/",
  "a.example",
  "mailto:",
  "a@b.com",
  "www.",
  ".com",
  ":",
  ":smile:",
  ":party:",
  "😀",
  "\u2764\ufe0f",
  "👩‍❤️‍👨",
  "@**King Hamlet**",
  "@_**King Hamlet**",
  "@**A <b>**",
  "@**all**",
  "@*team*",
  "@**",
  "#**Verona**",
  "#**Verona>topic x**",
  "#**Verona>t@214**",
  "#**a & b>**",
  "#**a > b>t > u**",
  "#**Verona>&#42; &lt;b&gt;**",
  "#**",
  "<time:",
  "<time:2017-06-05T22:30:00Z>",
  "<time:<b>>",
  "#12",
  "<script>",
  "</p>",
  "<img src=x onerror=alert(1)>",
  "javascript:alert(1)",
  "/me ",
  "https://p.example/a.png",
  "https://youtu.be/abcdefghijk",
  "https://p.example/page",
  "https://vimeo.com/123",
  "[b](https://p.example/b.webp)",
  `[photo](/user_uploads/${uploads.photo})`,
  `https://chat.example.com/user_uploads/${uploads.film}`,
  `![song](/user_uploads/${uploads.song})`,
  "x",
  "word",
  "\u0000",
  "\u00ad",
  "\u202e",
  "\ud800",
  "é",
  "漢",
] as const

const samples = [
  "Hey @**King Hamlet**, see https://ci.example.com/a_b?c=1&d=2 and #**Verona>topic x** :smile:. **Thanks!**",
  '> quoted [link](https://a.example "title") `code`\n\n* one\n  * two\n\n| a | b |\n|---|:-:|\n| 1 | 2 |',
  "```quote\n@**all** said\n```py\nx = 1\n```\n```\n```spoiler Head\n$$x^2$$ <time:2017-06-05>\n```",
]

const made = (random: Random, most: number): string =>
  Array.from({ length: random.between(1, most) }, () => random.pick(pieces)).join("")

const mutated = (random: Random): string => {
  let text = random.pick<string>(samples)
  for (let n = random.between(1, 8); n > 0; n--) {
    const [from, length] = [random.between(0, text.length), random.between(0, 6)]
    const what = random.pick<string>([random.pick<string>(pieces), "", text.slice(from, from + 20)])
    text = text.slice(0, from) + what + text.slice(from + length)
  }
  return text
}

/** One of these is short, or one piece many times over. */
export const randomContent = (random: Random): string =>
  random.chance(0.4)
    ? mutated(random)
    : random.chance(0.1)
      ? random.pick<string>(pieces).repeat(random.between(2, 300))
      : made(random, 40)
