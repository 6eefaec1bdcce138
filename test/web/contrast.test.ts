/** Colours of the page: borders by which one knows a field or a button stand out from every ground that they are on. */
import { readFileSync } from "node:fs"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"

const style = readFileSync(packageFile("src/web/style/1-base.css"), "utf8")
const [light = "", dark = ""] = style.split("@media screen and (prefers-color-scheme: dark)")

const colour = (part: string, name: string): string => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(part)?.[1] ?? ""

const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string): number => {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (more + 0.05) / (less + 0.05)
}

t.test("borders of fields and buttons have 3:1", async (t) => {
  for (const [name, part] of Object.entries({ light, dark }))
    for (const ground of ["ground", "raised", "side"])
      t.ok(contrast(colour(part, "edge"), colour(part, ground)) >= 3, `${name}: ${ground}`)
  for (const rule of [/\nbutton, \.button \{[^}]*\}/, /\ninput:not[^{]*\{[^}]*\}/])
    t.match(rule.exec(style)?.[0], /border: 1px solid var\(--edge\)/)
})
