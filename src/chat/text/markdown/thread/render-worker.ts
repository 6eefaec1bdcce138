/**
 * The renderer's own thread: long content, formulas, highlighted code. It does one job at a time, as render-worker-client.ts sends
 * them, which ends the thread if one takes too long. KaTeX and the grammars are loaded when the first job needs them.
 */
import { parentPort } from "node:worker_threads"
import type { WorkerRenderers } from "../context/render-context.ts"
import type { RenderJob } from "../context/rendered.ts"
import { renderWhole } from "../rendering/render.ts"
import { mayHoldMath, wordsOfFences } from "../rendering/render-weight.ts"
import { longestHtml, type RenderAnswer } from "./render-messages.ts"

const port = parentPort
if (port === null) throw new Error("render-worker is started by render-worker-client.ts only")

const prepare = async ({ content, names }: RenderJob): Promise<WorkerRenderers> => {
  const isHighlighted = names.codeLanguage !== "" || wordsOfFences(content).size > 0
  return {
    math: mayHoldMath(content) ? (await import("./render-math.ts")).renderMath : () => null,
    highlight: isHighlighted ? (await import("./highlight-code.ts")).highlightCode : () => null,
  }
}

const work = async (job: RenderJob): Promise<RenderAnswer> => {
  const rendered = renderWhole(job.content, job.names, await prepare(job))
  return rendered.html.length > longestHtml ? null : rendered
}

port.on("message", (job: RenderJob) => {
  void work(job).then((answer) => port.postMessage(answer))
})
port.postMessage("ready")
