/** Texts of messages at random: the marks of Markdown, mentions, links, formulas and code, nested and unfinished. */
import type { Dice } from "../faults/kill/dice.ts"
import { hardValue, size, text } from "./bytes.ts"

const inline: ReadonlyArray<(dice: Dice, inner: string) => string> = [
  (_, inner) => `**${inner}**`,
  (_, inner) => `*${inner}`,
  (_, inner) => `~~${inner}~~`,
  (_, inner) => `[${inner}](https://example.org/${inner})`,
  (_, inner) => `![${inner}](/user_uploads/1/ab/x.png)`,
  (_, inner) => `\`${inner}\``,
  (_, inner) => `$$${inner}$$`,
  (_, inner) => `@**${inner}**`,
  (_, inner) => `@_**${inner}|2**`,
  (_, inner) => `#**general>${inner}**`,
  (_, inner) => `:${inner}:`,
  (_, inner) => `<time:${inner}>`,
  (_, inner) => `https://example.org/?q=${inner}&a=(((`,
  (_, inner) => `<a href="${inner}">${inner}</a>`,
  (_, inner) => `&${inner};&#x1F600;&#0;`,
  (_, inner) => `\\frac{${inner}}{\\sqrt{${inner}}}`,
]

const blocks: ReadonlyArray<(dice: Dice, inner: string) => string> = [
  (_, inner) => `> ${inner}\n> > ${inner}\n`,
  (_, inner) => `\`\`\`js\n${inner}\n\`\`\`\n`,
  (_, inner) => `\`\`\`quote\n${inner}\n`,
  (_, inner) => `\`\`\`math\n${inner}\n\`\`\`\n`,
  (_, inner) => `\`\`\`spoiler ${inner}\n${inner}\n\`\`\`\n`,
  (_, inner) => `* ${inner}\n  * ${inner}\n    1. ${inner}\n`,
  (_, inner) => `| a | ${inner} |\n|---|:-:|\n| ${inner} | b |\n`,
  (_, inner) => `# ${inner}\n---\n`,
  (_, inner) => `/poll ${inner}\n${inner}\n`,
  (_, inner) => `/me ${inner}`,
]

const words = [
  "all",
  "everyone",
  "stream",
  "topic",
  "owner",
  "Member",
  "general",
  "x",
  "1",
  "+1",
  "smile",
  "2026-01-01T00:00:00Z",
]

const inner = (dice: Dice, levels: number): string => {
  if (levels === 0) return dice.chance(0.6) ? dice.pick(words) : text(dice, 12)
  const made = inner(dice, levels - 1)
  const wrapped = dice.pick(inline)(dice, made)
  return dice.chance(0.2) ? `${wrapped} ${inner(dice, levels - 1)}` : wrapped
}

/** One thing over and over is what readers of Markdown take longest for. */
const repeated = (dice: Dice): string => {
  const one = dice.chance(0.5) ? dice.pick(inline)(dice, "") : text(dice, 4)
  return one.repeat(Math.max(1, Math.floor(size(dice, 9000) / Math.max(1, one.length))))
}

export const richText = (dice: Dice): string => {
  const kind = dice.below(10)
  if (kind === 0) return repeated(dice)
  if (kind === 1) return hardValue(dice)
  if (kind === 2) return text(dice, 500)
  const parts = Array.from({ length: 1 + dice.below(5) }, () => {
    const made = inner(dice, dice.below(4))
    return dice.chance(0.4) ? dice.pick(blocks)(dice, made) : made
  })
  return parts.join(dice.chance(0.5) ? "\n" : " ")
}
