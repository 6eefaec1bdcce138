/** Uploaded files that a browser shows by itself, in Chromium: a PDF in its viewer, under the policy that keeps files from running. */
import sharp from "sharp"
import t from "tap"
import { until } from "../kit/test-database.ts"
import { patience, skip, withScene, write } from "./kit.ts"

/** A page that is red from its lower edge to its middle. */
const redPdf = (): Buffer => {
  const drawing = "1 0 0 rg 0 0 612 396 re f"
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>",
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
  ]
  let text = "%PDF-1.4\n"
  const places = objects.map((object, n) => {
    const place = text.length
    text += `${n + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, "0")} 00000 n \n`
  })
  const table = `xref\n0 ${places.length + 1}\n0000000000 65535 f \n${places.join("")}`
  const end = `trailer << /Size ${places.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(`${text}${table}${end}`, "latin1")
}

/** Whether much of a screen is as red as the page. */
const isRed = async (screen: Buffer): Promise<boolean> => {
  const { data, info } = await sharp(screen).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let red = 0
  for (let at = 0; at < data.length; at += info.channels)
    if ((data[at] ?? 0) > 240 && (data[at + 1] ?? 255) < 15 && (data[at + 2] ?? 255) < 15) red++
  return red > (info.width * info.height) / 20
}

t.test(
  "a PDF is shown in the browser's viewer, under the policy of all uploads",
  { skip, timeout: 4 * patience },
  (t) =>
    withScene(t, async (scene) => {
      const page = await scene.signedIn("member", "#channel/1/topic/welcome")
      await page.locator("input[type=file]").setInputFiles({
        name: "plan.pdf",
        mimeType: "application/pdf",
        buffer: redPdf(),
      })
      await until("its link is written", patience, async () =>
        (await page.locator("#write").inputValue()).includes("/user_uploads/"),
      )
      await write(page, await page.locator("#write").inputValue())
      const [shown] = await Promise.all([
        page.context().waitForEvent("page"),
        page.locator(".message:not(.pending) a", { hasText: "plan.pdf" }).first().click(),
      ])
      const downloads: Array<string> = []
      shown.on("download", (download) => downloads.push(download.url()))
      await until("the page of the PDF", patience, async () => isRed(await shown.screenshot()))
      t.same(downloads, [])
      t.match(new URL(shown.url()).pathname, /^\/user_uploads\/.*\/plan\.pdf$/)
      t.equal(await shown.evaluate("opener"), null, "it cannot reach the page it was opened from")
      await page.context().close()
    }),
)
