/**
 * Paths that differ by the name of a parameter only (`/users/{user_id}`, `/users/{email}`): OpenAPI forbids both in one
 * document. They become one, with the first one's name, whose value has either form; and so do the endpoints behind them.
 */
import * as Schema from "effect/Schema"
import type { Param } from "../api/params.ts"
import { type DescribedRoute, pathOf } from "./operations.ts"

/** The path without the names of its parameters. */
export const blankOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, "{}")

const inPath = /\{([^}:]*)[^}]*\}/g
const namesOf = (path: string): ReadonlyArray<string> => Array.from(path.matchAll(inPath), ([, name = ""]) => name)

/** Gives the parameters of a path the names that they have in another one that is the same. */
const renamed = (route: DescribedRoute, path: string): DescribedRoute => {
  const names = namesOf(path)
  const own = namesOf(route.path)
  const rename = (param: Param<unknown>): Param<unknown> => {
    const at = own.indexOf(param.name)
    return at < 0 ? param : { ...param, name: names[at] ?? param.name }
  }
  const params = Object.entries(route.params).map(([key, param]) => [key, rename(param)] as const)
  return { ...route, path, params: Object.fromEntries(params) }
}

/** Either of two parameters of one name. */
const either = (one: Param<unknown>, other: Param<unknown>): Param<unknown> => ({
  ...one,
  kind: "text",
  schema: { anyOf: [one.schema, other.schema] },
})

const byName = (route: DescribedRoute): Readonly<Record<string, Param<unknown>>> =>
  Object.fromEntries(Object.values(route.params).map((param) => [param.name, param]))

/** One operation of two that are told apart by the form of a parameter in their path. */
const merged = (one: DescribedRoute, other: DescribedRoute): DescribedRoute => {
  const params = { ...byName(other), ...byName(one) }
  for (const name of namesOf(one.path)) {
    const [first, second] = [byName(one)[name], byName(other)[name]]
    if (first !== undefined && second !== undefined) params[name] = either(first, second)
  }
  return {
    ...one,
    summary: `${one.summary} Or: ${other.summary}`,
    params,
    reply: one.reply === other.reply ? one.reply : Schema.Union([one.reply, other.reply]),
    errors: [...new Set([...one.errors, ...other.errors])],
  }
}

interface Chapter {
  readonly routes: ReadonlyArray<DescribedRoute>
}

/** The chapters with each path once. An endpoint stands where the first of those that it is one with stood. */
export const joined = <C extends Chapter>(chapters: ReadonlyArray<C>): ReadonlyArray<C> => {
  const paths = new Map<string, string>()
  const operations = new Map<string, DescribedRoute>()
  const kept = chapters.map((chapter) => {
    const keys: Array<string> = []
    for (const route of chapter.routes) {
      const blank = blankOf(route.path)
      const path = paths.get(blank) ?? route.path
      paths.set(blank, path)
      const own = renamed(route, path)
      const key = `${route.method} ${blank}`
      const known = operations.get(key)
      operations.set(key, known === undefined ? own : merged(known, own))
      if (known === undefined) keys.push(key)
    }
    return { chapter, keys }
  })
  return kept.map(({ chapter, keys }) => ({
    ...chapter,
    routes: keys.flatMap((key) => operations.get(key) ?? []),
  }))
}

/** How a route's path stands in a document with these paths. */
export const pathIn = (paths: Iterable<string>, route: Pick<DescribedRoute, "path">): string => {
  const blank = blankOf(route.path)
  for (const path of paths) if (blankOf(path) === blank) return path
  return pathOf(route)
}
