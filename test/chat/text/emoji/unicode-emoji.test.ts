import t from "tap"
import {
  allEmoji,
  emojiCode,
  findEmojiByCharacter,
  findEmojiByCode,
  findEmojiByName,
} from "../../../../src/chat/text/emoji/unicode-emoji.ts"

t.test("names are those that clients send", async (t) => {
  const expected: ReadonlyArray<[name: string, code: string, shown: string]> = [
    ["smile", "1f642", "smile"],
    ["slight_smile", "1f642", "smile"],
    ["+1", "1f44d", "+1"],
    ["thumbs_up", "1f44d", "+1"],
    ["-1", "1f44e", "-1"],
    ["octopus", "1f419", "octopus"],
    ["heart", "2764", "heart"],
    ["tada", "1f389", "tada"],
    ["working_on_it", "1f6e0", "working_on_it"],
    ["check", "2705", "check"],
    ["white_check_mark", "2705", "check"],
    ["point_up", "1f446", "point_up"],
    ["hash", "0023-20e3", "hash"],
    ["face_with_monocle", "1f9d0", "face_with_monocle"],
    ["monocle_face", "1f9d0", "face_with_monocle"],
    ["rainbow_flag", "1f3f3-200d-1f308", "rainbow_flag"],
    ["phoenix", "1f426-200d-1f525", "phoenix"],
  ]
  for (const [name, code, shown] of expected) {
    t.equal(findEmojiByName(name)?.code, code, name)
    t.equal(findEmojiByCode(code)?.name, shown, code)
  }
  for (const name of ["", "no_such_emoji", "__proto__", "constructor", "Smile"])
    t.equal(findEmojiByName(name), undefined)
})

t.test("an emoji is found by its character, with its variation selector or without", async (t) => {
  t.equal(findEmojiByCharacter("\u2764\ufe0f")?.name, "heart")
  t.equal(findEmojiByCharacter("\u2764")?.name, "heart")
  t.equal(findEmojiByCharacter("🐙")?.name, "octopus")
  for (const text of ["", "a", "👍🏽", "🐙🐙", "\ud83d"]) t.equal(findEmojiByCharacter(text), undefined, text)
  t.equal(emojiCode("#\ufe0f\u20e3"), "0023-20e3")
})

t.test("each code and name stands for one emoji", async (t) => {
  const names = new Set<string>()
  let count = 0
  for (const emoji of allEmoji()) {
    count++
    t.equal(findEmojiByCode(emoji.code), emoji)
    t.equal(findEmojiByCharacter(emoji.character), emoji)
    t.match(emoji.code, /^[0-9a-f]{4,5}(-[0-9a-f]{4,5})*$/)
    t.notMatch(emoji.code, /fe0f/)
    for (const name of [emoji.name, ...emoji.aliases]) {
      t.match(name, /^[+\-a-z0-9_]+$/)
      t.notOk(names.has(name), name)
      names.add(name)
      t.equal(findEmojiByName(name), emoji, name)
    }
  }
  t.ok(count > 1850, `${count}`)
})
