/**
 * Finds the route of a request: built once from the table, matched in one pass over the path's segments. A literal
 * segment wins over `{name:int}`, that over `{name}`; the most literal path decides which methods there are. Made by
 * server.ts, asked by api.ts.
 */
import type { Method, Route } from "../../api/endpoint.ts"

/** The routes of one path, by method. */
export interface RoutePath<R> {
  /** The path as the table has it. */
  readonly name: string
  /** In the order of the table, with HEAD where there is GET, and OPTIONS. */
  readonly allowed: ReadonlyArray<string>
  readonly find: (method: string) => PlacedRoute<R> | undefined
}

export interface PlacedRoute<R> {
  readonly route: Route<R>
  readonly names: ReadonlyArray<string>
  readonly nameSet: ReadonlySet<string>
}

export interface RouteMatch<R> {
  readonly place: RoutePath<R>
  /** Decoded values of the path's parameters, in order. */
  readonly values: ReadonlyArray<string>
}

export interface RouteTable<R> {
  /** `path` begins with a slash, is below the API's root and is not decoded. */
  readonly find: (path: string) => RouteMatch<R> | undefined
}

interface RouteNode<R> {
  readonly literals: Map<string, RouteNode<R>>
  digits: RouteNode<R> | undefined
  any: RouteNode<R> | undefined
  readonly methods: Map<string, PlacedRoute<R>>
  place: RoutePath<R> | undefined
}

const emptyNode = <R>(): RouteNode<R> => ({
  literals: new Map(),
  digits: undefined,
  any: undefined,
  methods: new Map(),
  place: undefined,
})

const parameter = /^\{([a-z_]+)(:int)?\}$/

/** 15 digits stay below 2^53. */
const digits = /^\d{1,15}$/

const step = <R>(node: RouteNode<R>, segment: string): RouteNode<R> => {
  const found = parameter.exec(segment)
  if (found === null) {
    const next = node.literals.get(segment) ?? emptyNode<R>()
    node.literals.set(segment, next)
    return next
  }
  if (found[2] === undefined) {
    node.any ??= emptyNode()
    return node.any
  }
  node.digits ??= emptyNode()
  return node.digits
}

const methodOrder: ReadonlyArray<Method> = ["GET", "POST", "PATCH", "PUT", "DELETE"]

const placeOf = <R>(node: RouteNode<R>, name: string): RoutePath<R> => ({
  name,
  allowed: [
    ...methodOrder
      .filter((method) => node.methods.has(method))
      .flatMap((each) => (each === "GET" ? [each, "HEAD"] : [each])),
    "OPTIONS",
  ],
  find: (method) => node.methods.get(method === "HEAD" ? "GET" : method),
})

const add = <R>(root: RouteNode<R>, route: Route<R>): void => {
  const segments = route.path.slice(1).split("/")
  const names = segments.flatMap((segment) => parameter.exec(segment)?.[1] ?? [])
  const node = segments.reduce(step, root)
  if (node.methods.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`)
  node.methods.set(route.method, { route, names, nameSet: new Set(names) })
  node.place = placeOf(node, route.path)
}

/** Undefined for an invalid path: bad percent-encoding, invalid UTF-8 (seen as U+FFFD) or NUL. */
const decode = (texts: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  if (texts.some((each) => each.includes("\uFFFD"))) return undefined
  try {
    const decoded = texts.map((each) => (each.includes("%") ? decodeURIComponent(each) : each))
    return decoded.some((each) => each.includes("\u0000")) ? undefined : decoded
  } catch {
    return undefined
  }
}

/** Means another place than its name, or none, in a path. */
const isOdd = (segment: string): boolean =>
  segment === "" || segment === "." || segment === ".." || segment.includes("\\")

/** The segments of a path of which all behind `prefix` is a path of its own, and is decoded before it is divided, once. */
const segmentsBehind = (prefix: string, path: string): ReadonlyArray<string> | undefined => {
  const segments = decode([path.slice(prefix.length)])?.flatMap((rest) => rest.split("/"))
  return segments?.some(isOdd) === false ? [...prefix.slice(1, -1).split("/"), ...segments] : undefined
}

/** The beginning of a route's path before its first parameter. */
const literalPart = (path: string): string => path.slice(0, path.indexOf("{"))

const descend = <R>(
  node: RouteNode<R>,
  segments: ReadonlyArray<string>,
  at: number,
  values: Array<string>,
): RoutePath<R> | undefined => {
  const segment = segments[at]
  if (segment === undefined) return node.place
  const next = node.literals.get(segment)
  const literal = next === undefined ? undefined : descend(next, segments, at + 1, values)
  if (literal !== undefined || segment === "") return literal
  values.push(segment)
  const found =
    (node.digits !== undefined && digits.test(segment) ? descend(node.digits, segments, at + 1, values) : undefined) ??
    (node.any === undefined ? undefined : descend(node.any, segments, at + 1, values))
  if (found === undefined) values.pop()
  return found
}

export const makeRouter = <R>(routes: ReadonlyArray<Route<R>>): RouteTable<R> => {
  const root = emptyNode<R>()
  for (const route of routes) add(root, route)
  const prefixes = routes.filter(({ endsInPath }) => endsInPath === true).map(({ path }) => literalPart(path))
  const walk = (path: string): RouteMatch<R> | undefined => {
    const prefix = prefixes.find((each) => path.startsWith(each))
    const segments = prefix === undefined ? decode(path.slice(1).split("/")) : segmentsBehind(prefix, path)
    if (segments === undefined) return undefined
    const values: Array<string> = []
    const place = descend(root, segments, 0, values)
    return place === undefined ? undefined : { place, values }
  }
  // Most requests ask for a path without parameters: those are one look-up.
  const literal = new Map<string, RouteMatch<R>>()
  for (const { path } of routes) {
    const match = path.includes("{") ? undefined : walk(path)
    if (match !== undefined) literal.set(path, match)
  }
  return { find: (path) => literal.get(path) ?? walk(path) }
}
