/** `fold`, by which names, topics and addresses are compared, and what no name may contain. */
import t from "tap"
import { badCharacterAt, fold, isInvisible } from "../../../../src/chat/ground/realm/domain-values.ts"

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

t.test("no name consists of what nobody sees, or turns the direction of the text after it", async (t) => {
  const unseen = [
    "",
    " ",
    "\u200B",
    "\u200D\u200D",
    "\u2060",
    "\u00AD",
    "\u3164",
    "\uFFA0",
    "\u115F",
    "\u2800",
    "\uFE0F",
  ]
  for (const text of [...unseen, "\u{E0041}", "\u200E \u200F", "\u034F", "\u180E", "\uFFF9"])
    t.ok(isInvisible(text), JSON.stringify(text))
  const seen = ["a", "字", "0\u200B", "👩‍👩‍👧", "✔️", "می‌خواهم", "क्‍ष", "×", "שלום\u200F", "\u200Ea", "¨", "ـ", "\u0600"]
  for (const text of seen) t.same([isInvisible(text), badCharacterAt(text)], [false, undefined], JSON.stringify(text))
  for (const turn of "\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069")
    t.equal(badCharacterAt(`a🐙${turn}b`), 3, `${turn.codePointAt(0)}`)
})
