/** A gigabyte of files, fifteen uploads at a time and two that hang: what they take of the server's memory. */
import { request } from "node:http"
import t from "tap"
import { makeFlags, Program, signIn } from "../kit/program.ts"
import { formBytes, formType } from "../kit/uploads.ts"
import { sized } from "./budget.ts"

const megabyte = 1024 * 1024
/**
 * Megabytes beside what the server takes before: with the embedded database that alone is more than 300 at its first start.
 * 14 and, with PostgreSQL, 42 were seen; parts that are not used again would be 30 to 180, whole files 360.
 */
const mostGrowth = 100

t.test("a gigabyte of uploads goes through little memory", async (t) => {
  const flags = await makeFlags(t)
  const program = new Program(t, flags(0))
  const port = await program.port()
  const member = await signIn(port, "member")
  const { email, key } = member.account
  const headers = {
    Host: "localhost",
    Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`,
    "Content-Type": formType,
  }
  const form = formBytes({ name: "large.bin", bytes: Buffer.alloc(24 * megabyte, "0123456789abcdef") })
  const upload = (body: Buffer, length = body.length) =>
    new Promise<number>((resolve, reject) => {
      const options = { port, method: "POST", path: "/api/v1/user_uploads", agent: false }
      const sent = request({ ...options, headers: { ...headers, "Content-Length": length } }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0))
      })
      sent.on("error", reject)
      if (length === body.length) sent.end(body)
      else sent.write(body)
    })
  // Two that send the beginning of a file and no more.
  const hanging = [1, 2].map(() => upload(form.subarray(0, megabyte), form.length).catch(() => 0))
  const before = program.memory()
  t.comment(`before: ${before.toFixed(0)} MB`)
  let most = 0
  for (let round = 0; round < sized(3, 1); round++) {
    const statuses = await Promise.all(Array.from({ length: 15 }, () => upload(form)))
    t.ok(statuses.every((status) => status === 200))
    most = Math.max(most, program.memory())
    t.comment(`${(round + 1) * 15 * 24} MB uploaded: ${program.memory().toFixed(0)} MB`)
  }
  t.ok(most - before < mostGrowth, `${(most - before).toFixed(0)} MB`)
  t.same(await Promise.all(hanging), [0, 0], "those that hang are cut")
})
