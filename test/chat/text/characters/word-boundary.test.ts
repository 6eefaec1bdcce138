/** Where words end, in many scripts; and that patterns of RE2 see it alike. */
import t from "tap"
import { isBehindWord, isWordBehind } from "../../../../src/chat/text/characters/word-boundary.ts"
import { compileLinkifier } from "../../../../src/chat/text/linkifiers/linkifier-pattern.ts"

const ofWords =
  "a Z 5 é e\u0301 e\u0323\u0301 ß я и\u0306 α ά ש שָ م مَ ي\u0651 क कि नमस्ते த தி ক 가 한 각 ٣ ۵ १ ५ ５ Ａ ა Ա አ ᠮ Ꭰ 𝐚 Ⅳ ʼ"

const between = [
  ..."（ ( ） 「 」 『 【 “ ” „ « » ‹ ‘ ’ : ： 、 。 ， ， ؟ ، । · ・ … - – — / \\ | _ * ~ ` = + @ # . ; & € ° ² ① ½ ™ →".split(
    " ",
  ),
  ..."看 々 〆 〇 あ が か\u3099 ア ー 〱 ｱ ｰ ﾞ ㄅ ꀀ ที่ กำ ๓ ລາວ ໓ ខ្មែរ ៣ မြန်မာ ၃ བོད བོད་ ༣ ᥐ ꪀ ꦏ ᬅ 𠮷 𗀀".split(" "),
  ..."👍 👍🏽 ❤️ ☺︎ 1️⃣ #️⃣ 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪".split(" "),
  " ",
  "\t",
  "\n",
  "\u3000",
  "\u00a0",
  "\u200b",
  "\u2028",
  "\ufeff",
  "\u200f",
]

const issue = compileLinkifier({ id: 1, pattern: "#(?P<id>[0-9]{2,8})", url_template: "https://a.example/{id}" })
const isLinked = (text: string) => issue?.matches(text, () => true).length === 1

/** As a walk through the text from its beginning finds it. */
const walked = (text: string) => [...text].reduce((isWord, character) => isWordBehind(character, isWord), false)

t.test("a word ends behind letters, digits and marks of scripts that write spaces", async (t) => {
  for (const text of ofWords.split(" ").flatMap((each) => [each, `看${each}`, `${each}${each}`, `( ${each}`])) {
    t.equal(isBehindWord(`${text}@`, text.length), true, text)
    t.equal(walked(text), true, text)
    t.equal(isLinked(`${text}#12`), false, text)
  }
})

t.test("and not behind anything else, nor behind those of scripts that write none", async (t) => {
  t.equal(isBehindWord("@", 0), false)
  for (const text of between.flatMap((each) => [each, `a${each}`, `${each}${each}`])) {
    t.equal(isBehindWord(`${text}@`, text.length), false, text)
    t.equal(walked(text), false, text)
    t.equal(isLinked(`${text}#12`), true, text)
  }
})

t.test("what a linkifier matches ends where no word goes on", async (t) => {
  for (const text of ofWords.split(" ").filter((each) => each !== "5")) t.equal(isLinked(`#12${text}`), false, text)
  // A selector of emoji, and whatever else is attached, belongs to the digit before it.
  for (const text of between.filter((each) => !/^[#\d]/.test(each))) t.equal(isLinked(`#12${text}`), true, text)
  t.equal(isLinked("#12\ufe0f\u20e3"), false)
  t.equal(isLinked("#12\u0301"), false)
})

t.test("matches may stand side by side where nothing is between words", async (t) => {
  const han = compileLinkifier({
    id: 1,
    pattern: "(?P<id>[東大]\\p{Han}|𠮷)",
    url_template: "https://a.example/{id}",
  })
  const found = (text: string) => han?.matches(text, () => true).map(({ start, end }) => text.slice(start, end))
  t.strictSame(found("東京大阪"), ["東京", "大阪"])
  t.strictSame(found("a東京a"), [])
  t.strictSame(found("𠮷𠮷東京。大阪"), ["𠮷", "𠮷", "東京", "大阪"])
  const numbers = compileLinkifier({ id: 1, pattern: "#(?P<id>[0-9]+)", url_template: "https://a.example/{id}" })
  const count = (text: string) => numbers?.matches(text, () => true).length
  t.equal(count("#12#13"), 1, "the second one stands behind a digit")
  t.equal(count("#12、#13"), 2)
  t.equal(count("案#12案#13案"), 2)
})
