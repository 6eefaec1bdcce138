/** `fold`, by which names, topics and addresses are compared. */
import t from "tap"
import { fold } from "../../../src/chat/realm/values.ts"

t.test("texts that differ only in case are equal", async (t) => {
  const same: ReadonlyArray<ReadonlyArray<string>> = [
    ["ΟΔΟΣ", "Οδος", "οδοσ", "οδοΣ"],
    ["İzmir", "izmir", "IZMIR", "I\u0307zmir", "i\u0307zmir"],
    ["Straße", "STRAẞE"],
    ["\u212Aelvin", "kelvin"],
    ["ǅ", "ǆ", "Ǆ"],
    ["𐐀", "𐐨"],
  ]
  for (const [first = "", ...others] of same) for (const other of others) t.equal(fold(other), fold(first), other)
  const different = [
    ["ı", "i"],
    ["straße", "strasse"],
    ["e\u0301", "é"],
    ["µ", "μ"],
  ] as const
  for (const [one, other] of different) t.not(fold(one), fold(other), `${one} is not ${other}`)
})

t.test("a character is folded the same wherever it stands in a text", async (t) => {
  const odd: Array<string> = []
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code)
    const folded = fold(character)
    // A dot above belongs to the letter before it.
    if (!character.isWellFormed() || character === "\u0307") continue
    if (fold(`A${character}`) !== `a${folded}` || fold(`${character}B ${character}`) !== `${folded}b ${folded}`)
      odd.push(code.toString(16))
    else if (fold(folded) !== folded) odd.push(code.toString(16))
  }
  t.same(odd, [])
})
