/** Uploads images as a user, as clients do, and fetches pictures as anybody does. */
import sharp from "sharp"
import { recordsIn } from "./records.ts"
import { basic } from "./rows.ts"
import type { Name, TestServer } from "./with-server.ts"

/** Posts files to a path of the API; answers the status and the parsed answer. */
export const postImages = async (server: TestServer, by: Name, path: string, ...files: ReadonlyArray<Uint8Array>) => {
  const form = new FormData()
  for (const [n, bytes] of files.entries()) form.set(`picture ${n}`, new Blob([new Uint8Array(bytes)]), `${n}.png`)
  const answer = await fetch(`${server.origin}/api/v1${path}`, {
    method: "POST",
    headers: { Authorization: basic(server.as(by).account) },
    body: form,
  })
  const [body = {}] = recordsIn([await answer.json()])
  return { status: answer.status, body }
}

export const mustPostImage = async (server: TestServer, by: Name, path: string, file: Uint8Array) => {
  const { status, body } = await postImages(server, by, path, file)
  if (status !== 200 || "ignored_parameters_unsupported" in body) throw new Error(JSON.stringify(body))
  return body
}

/** `by`: who signs the request; nobody where it is absent. Redirects are not followed. */
export const getPicture = async (server: TestServer, path: unknown, by?: Name, method = "GET") => {
  const headers = by === undefined ? undefined : { Authorization: basic(server.as(by).account) }
  const answer = await fetch(`${server.origin}${path}`, { method, redirect: "manual", ...(headers && { headers }) })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** Where a path leads; null where it does not lead on. */
export const leadsTo = async (server: TestServer, path: string, by?: Name): Promise<string | null> => {
  const { status, headers } = await getPicture(server, path, by)
  return status === 302 ? headers.get("location") : null
}

/** The facts of the picture at a path, decoded whole. */
export const pictureAt = async (server: TestServer, path: unknown) => {
  const { status, headers, bytes } = await getPicture(server, path)
  if (status !== 200) return { status }
  const { width, height, format, pages = 1, exif } = await sharp(bytes).metadata()
  const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const type = headers.get("content-type")
  return { status, type, width, height, format, pages, hasExif: exif !== undefined, pixels: data }
}
