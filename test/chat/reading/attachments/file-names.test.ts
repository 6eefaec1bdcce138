/** What becomes of the names of uploaded files in their addresses, and of long ones. */
import t from "tap"
import {
  addressOf,
  linkedPath,
  nameInAddress,
  newPath,
  shownName,
} from "../../../../src/chat/reading/attachments/file-names.ts"

t.test("the ending stays whatever the name before it is", async (t) => {
  const rows: ReadonlyArray<readonly [name: string, address: string]> = [
    ["🎉.png", "file.png"],
    ["🎉🎉 🎉.PNG", "file.PNG"],
    ["❤️.png", "file.png"],
    ["👩‍❤️‍👨.jpeg", "file.jpeg"],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿.svg", "file.svg"],
    ["!!!.txt", "file.txt"],
    ["---.txt", "file.txt"],
    ["(1).pdf", "1-.pdf"],
    ["「」。.docx", "file.docx"],
    ["\u0301.txt", "file.txt"],
    ["\u2800\u00a0\u200b.txt", "file.txt"],
    ["🎉.tar.gz", "file.tar.gz"],
    ["🎉", "file"],
    ["_.png", "_.png"],
    ["a.tar.gz", "a.tar.gz"],
    ["🎉a🎉.png", "a-.png"],
    ["a❤️b.png", "a-b.png"],
    ["a.b.🎉.png", "a.b.png"],
    ["a.🎉", "a"],
    ["a. png", "a.png"],
    ["a.png!", "a.png"],
    ["a.p!ng", "a.p-ng"],
    // Addresses in texts end before a dot.
    ["a.", "a"],
    ["a.txt. .", "a.txt"],
    ["a..b...c", "a.b.c"],
    // Hidden files, and names that were lost.
    [".bashrc", "bashrc"],
    [".config.json", "config.json"],
    [".🎉.png", "file.png"],
    [".png", "file.png"],
    [".JPEG", "file.JPEG"],
    ["..png", "file.png"],
    ["....txt", "file.txt"],
    // Other scripts, their marks and digits.
    ["日本語 レポート.pdf", "日本語-レポート.pdf"],
    ["отчёт №1.doc", "отчёт-1.doc"],
    ["تقرير.٣.txt", "تقرير.٣.txt"],
    ["हिन्दी.टीएक्सटी", "हिन्दी.टीएक्सटी"],
    ["𝒜𐍈.txt", "𝒜𐍈.txt"],
  ]
  for (const [name, address] of rows) {
    t.equal(shownName(name), name.normalize("NFC").trim(), name)
    t.equal(nameInAddress(name), address, name)
  }
})

t.test("names that no file is shown by", async (t) => {
  const rows: ReadonlyArray<readonly [sent: string, shown: string, address: string]> = [
    ["", "file", "file"],
    [".", "file", "file"],
    ["..", "file", "file"],
    ["../..", "file", "file"],
    [".".repeat(5000), "file", "file"],
    [" . ", "file", "file"],
    ["/", "file", "file"],
    ["\u202e", "file", "file"],
    ["\u202e.png", ".png", "file.png"],
    ["\u2066gnp\u2069.exe", "gnp.exe", "gnp.exe"],
    ["a\u0000b\u0007\n.txt", "ab.txt", "ab.txt"],
    ["\u0000.txt", ".txt", "txt"],
    ["\ud83c.png", "\ufffd.png", "file.png"],
    ["C:\\temp\\🎉.png", "🎉.png", "file.png"],
    ["C:🎉.png", "C:🎉.png", "C-.png"],
    ["a.txt:stream", "a.txt:stream", "a.txt-stream"],
    ["dir/.hidden/..png", "..png", "file.png"],
    [" .png", ".png", "file.png"],
  ]
  for (const [sent, shown, address] of rows) {
    t.equal(shownName(sent), shown, sent)
    t.equal(nameInAddress(shown), address, sent)
  }
})

t.test("of long names the ending stays", async (t) => {
  for (const [piece, ending] of [
    ["x", ".png"],
    ["🎉", ".png"],
    ["🎉", ".abcdefghijklmnopqrs"],
    [".", ".png"],
    [" ", ".png"],
    ["\u0301", ".png"],
    ["日", ".tar.gz"],
  ] as const) {
    const shown = shownName(piece.repeat(5000) + ending)
    t.ok([...shown].length <= 120 && shown.endsWith(ending.slice(ending.lastIndexOf("."))), piece)
    const address = nameInAddress(shown)
    t.ok([...address].length <= 124 && address.endsWith(ending.slice(ending.lastIndexOf("."))), piece)
    const path = newPath(2, shown)
    t.equal(linkedPath(encodeURI(addressOf(path))), path)
  }
})
