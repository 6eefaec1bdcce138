/**
 * Circles of imports, between files and between folders. Types count like values: who needs another's types cannot be
 * understood or changed without it either. (Biome looks at values only, and not at folders.) A folder and its own
 * sub-folder are two: one of them builds on the other. Works on texts, so that imports.test.ts can plant circles.
 */
import { posix } from "node:path"
import { findPart, isDefinition, type Source } from "./source-rules.ts"
import { scanSource } from "./source-scanner.ts"

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const fileGraph = (sources: ReadonlyArray<Source>): Graph => {
  const files = sources.filter(({ path }) => path.startsWith("src/") && /\.tsx?$/.test(path))
  const known = new Set(files.map(({ path }) => path))
  const importsOf = ({ path, text }: Source) =>
    scanSource(text)
      .imports.filter((specifier) => specifier.startsWith("."))
      .map((specifier) => posix.join(posix.dirname(path), specifier))
      .filter((target) => known.has(target))
  return new Map(files.map((source) => [source.path, new Set(importsOf(source))]))
}

/**
 * The folder of a file. Files of src itself are the contracts, below all, and the program, above all: each like a
 * folder. What wires the program is like a folder, too, below what runs it: the commands and the kit for tests. The shape of the definitions is below the features that have them, and the definitions and their list are above: each is
 * like a folder, too.
 */
const folderOf = (path: string): string => {
  const folder = posix.dirname(path)
  if (folder === "src/chat" || isDefinition(path) || path === "src/app.ts") return path
  return folder === "src" ? `src (${findPart(path)})` : folder
}

const folderGraph = (files: Graph): Graph => {
  const folders = new Map<string, Set<string>>()
  for (const [path, targets] of files) {
    const from = folderOf(path)
    const others = folders.get(from) ?? new Set()
    folders.set(from, others)
    for (const target of targets) if (folderOf(target) !== from) others.add(folderOf(target))
  }
  return folders
}

const reachedFrom = (graph: Graph, start: string): ReadonlySet<string> => {
  const reached = new Set<string>()
  const left = [...(graph.get(start) ?? [])]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    left.push(...(graph.get(next) ?? []))
  }
  return reached
}

/** All that can reach each other, as one circle each. */
const circlesOf = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const reached = new Map([...graph.keys()].map((node) => [node, reachedFrom(graph, node)]))
  const circles = new Map<string, ReadonlyArray<string>>()
  for (const [node, others] of reached) {
    if (!others.has(node)) continue
    const members = [...others].filter((other) => reached.get(other)?.has(node)).sort()
    circles.set(members.join(" "), members)
  }
  return [...circles.values()]
}

export const findCircles = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const files = fileGraph(sources)
  const circles = [...circlesOf(files), ...circlesOf(folderGraph(files))]
  return circles.map((circle) => `a circle of imports: ${circle.join(", ")}`)
}
