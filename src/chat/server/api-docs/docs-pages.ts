/**
 * The description of the interface as pages: the OpenAPI document, and a viewer that shows it and calls endpoints. All of it
 * was made by the build (openapi/make-openapi.ts) and is read when somebody asks for it first. The viewer loads nothing from
 * elsewhere; the key that a reader types stays in their browser.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import type { PlainAnswer, PlainPages } from "../../../api/pages.ts"
import { packageFile } from "../../../db/package-root.ts"

const cacheSeconds = 3600

const built = (name: string, contentType: string, headers: PlainAnswer["headers"] = []): (() => PlainAnswer) => {
  let made: PlainAnswer | undefined
  return () => {
    if (made !== undefined) return made
    const gzip = readFileSync(packageFile(`dist/docs/${name}.gz`))
    made = { status: 200, contentType, cacheSeconds, gzip, body: gunzipSync(gzip), headers }
    return made
  }
}

/** The viewer sets styles on its elements, and has its pictures as data. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const page: PlainAnswer = {
  status: 200,
  contentType: "text/html; charset=utf-8",
  headers: [
    ["Content-Security-Policy", policy],
    ["Referrer-Policy", "no-referrer"],
  ],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley: the interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="viewer"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/show.js"></script>
</html>
`,
}

/** The viewer would send a made-up value for each parameter that may be absent: these begin empty, and what is empty is not sent. */
const show: PlainAnswer = {
  status: 200,
  contentType: "text/javascript; charset=utf-8",
  cacheSeconds,
  body: `const leaveOut = ({ schema }) => {
  const required = new Set(schema.required)
  for (const [name, each] of Object.entries(schema.properties ?? {})) if (!required.has(name)) {
    delete each.examples
    each.example = ""
  }
}
const withoutEmpty = (request) => {
  if (typeof request.body === "string") request.body = request.body.split("&").filter((each) => !each.endsWith("=")).join("&")
  if (request.body instanceof FormData)
    for (const [name, value] of [...request.body]) if (value === "") request.body.delete(name)
  return request
}
fetch("/api/v1/openapi.json").then((answer) => answer.json()).then((spec) => {
  for (const path of Object.values(spec.paths))
    for (const { requestBody } of Object.values(path))
      if (requestBody) Object.values(requestBody.content).forEach(leaveOut)
  SwaggerUIBundle({
    dom_id: "#viewer", spec, deepLinking: true, docExpansion: "list", filter: true, validatorUrl: null,
    defaultModelsExpandDepth: 0, displayRequestDuration: true,
    requestInterceptor: withoutEmpty,
  })
})
`,
}

export const docsPages: PlainPages = {
  "/api/v1/openapi.json": built("openapi.json", "application/json"),
  "/docs": () => page,
  "/docs/show.js": () => show,
  "/docs/swagger-ui-bundle.js": built("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
  "/docs/swagger-ui.css": built("swagger-ui.css", "text/css; charset=utf-8"),
}
