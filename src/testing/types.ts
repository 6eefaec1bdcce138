/// <reference lib="esnext.disposable" preserve="true" />
/**
 * `parley-server/testing` as its users see it: interfaces only, so that they can be read without this program's own dependencies.
 * docs/testing.md says how they are used; the files beside this one are checked against them.
 */
import type { Account, Client, Event, Params, State } from "../client/index.ts"

/** The people of the demo organization; `(string & {})`: those that a test has made by `join`. */
export type Name =
  | "owner"
  | "admin"
  | "moderator"
  | "member"
  | "guest"
  | "bot"
  | "hamlet"
  | "cordelia"
  | "othello"
  | (string & {})

export interface ServerOptions {
  /**
   * `demo`, which is the default: that of `npm start`, with the members hamlet, cordelia and othello, in the channels
   * `general` and `announcements`. `empty`: an owner, called `owner`, and nothing else.
   */
  readonly organization?: "demo" | "empty" | undefined
  /** The address of a PostgreSQL server, of somebody who may make databases. Absent: an embedded database. */
  readonly database?: string | undefined
  /**
   * `running`, which is the default: the machine's time, and what the test adds by `clock.advance`. `still`: time passes
   * by `clock.advance` alone, and begins on 1 January 2026.
   */
  readonly clock?: "running" | "still" | undefined
  /** `child`: a process of its own, that can be killed by a signal. Its clock is the machine's. Default: `this`. */
  readonly process?: "this" | "child" | undefined
  /** Settings of the server by the names of their variables, as `parley --help` lists them. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** Where data is kept, and found again by another server. Absent: a temporary folder, which goes with the server. */
  readonly dataFolder?: string | undefined
  /** Default: any that is free. */
  readonly port?: number | undefined
}

export interface Person {
  readonly name: string
  readonly email: string
  readonly apiKey: string
  readonly userId: number
  readonly role: "owner" | "administrator" | "moderator" | "member" | "guest"
  readonly isBot: boolean
}

export interface Newcomer {
  /** Default: `member`. */
  readonly role?: Person["role"] | undefined
  readonly fullName?: string | undefined
  /** Names of channels to subscribe to, beside the default channels. They are made where they are not there. */
  readonly channels?: ReadonlyArray<string> | undefined
}

/** The server's time. It cannot be driven in a child process. */
export interface TestClock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /**
   * Lets these milliseconds pass at once: whatever falls due is begun, in order. Resolves when the server's own work, such as
   * sending what was scheduled, is done; its events may come a moment later.
   */
  readonly advance: (milliseconds: number) => Promise<void>
}

/** Faults between the server and its database. They need a server in this process. */
export interface ServerFaults {
  /** The next commits are done, and the server does not learn of it. */
  readonly loseCommits: (count?: number) => void
  /**
   * The next commits get stuck on their way: the server believes them lost, and each arrives so many milliseconds after it was
   * sent.
   */
  readonly lateCommits: (milliseconds: number, count?: number) => void
  /** From now on the database answers nothing. */
  readonly stallDatabase: () => void
  /** It answers again, and what was asked meanwhile, too. */
  readonly resumeDatabase: () => void
  /** Number of commits so far that were lost or stuck: whether a fault has struck. */
  readonly struck: () => number
  /** Number of commits that are stuck now. */
  readonly heldUp: () => number
}

/** A way to the server through which connections can be disturbed. */
export interface TestProxy {
  /** To be used in place of the server's. */
  readonly url: string
  /** Number of connections that are open now. */
  readonly connections: () => number
  /** Number of all connections that have been made. */
  readonly accepted: () => number
  /** Breaks all connections. New ones are served. */
  readonly cut: () => void
  /** Nothing flows any more, and nothing is closed. Stalled `answers` are a client that does not read. */
  readonly stall: (direction?: "requests" | "answers") => void
  /** No more than so many bytes in a second flow to each client. */
  readonly slow: (bytesPerSecond: number) => void
  /** Ends `stall` and `slow`. */
  readonly resume: () => void
  /** New connections are refused. */
  readonly refuse: () => Promise<void>
  readonly accept: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface QueueOptions {
  /** Default: by socket where there is a WebSocket (Node 22 has one), else by poll. */
  readonly transport?: "socket" | "poll" | undefined
  /** Another address of the server: that of a proxy. */
  readonly through?: string | undefined
  /** How long `next` waits, in real milliseconds. Default: 5,000. */
  readonly patienceMilliseconds?: number | undefined
}

/** An event of one type. */
export type EventOf<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>

/**
 * A queue of one person, registered before anything else happens. Whatever comes over it is checked: ids rise strictly, and
 * the queue is never gone.
 */
export interface TestQueue extends AsyncIterable<Event> {
  /** What register answered. */
  readonly state: State
  /** All events that have been taken from it, in order. */
  readonly events: ReadonlyArray<Event>
  /** The next event, or the next of this type, past others. Rejects where none comes in time, and says what came instead. */
  readonly next: {
    (): Promise<Event>
    <Type extends Event["type"]>(type: Type): Promise<EventOf<Type>>
  }
  /** The queue is deleted. */
  readonly close: () => Promise<void>
}

export interface TestServer extends AsyncDisposable {
  /** Like `http://127.0.0.1:12345`. */
  readonly url: string
  readonly port: number
  /** Everybody who can be named. */
  readonly people: ReadonlyArray<Person>
  /** The client of `parley-server/client` as this person. `through`: another address of the server, that of a proxy. */
  readonly as: (name: Name, options?: { readonly through?: string | undefined }) => Client
  readonly person: (name: Name) => Person
  readonly accountOf: (name: Name) => Account
  /** The API key of this person. */
  readonly keyOf: (name: Name) => string
  /** Makes another account, which from then on has this name. */
  readonly join: (name: string, newcomer?: Newcomer) => Promise<Person>
  /** Registers a queue with these parameters of `POST /register`, and answers its reader. */
  readonly queue: (name: Name, register?: Params<"POST /register">, options?: QueueOptions) => Promise<TestQueue>
  readonly clock: TestClock
  readonly faults: ServerFaults
  readonly proxy: () => Promise<TestProxy>
  /**
   * The server is gone without a goodbye, until `restart`. In this process all that it is connected with is cut, its database
   * too, so that nothing reaches either side any more; a child process is ended by SIGKILL.
   */
  readonly kill: () => Promise<void>
  /** Starts it on the same data and port: after `kill`, or after it has been ended in good order. */
  readonly restart: () => Promise<void>
  /** Ends it, and removes what it has made. Rejects if anything of this server is left, and says what. */
  readonly close: () => Promise<void>
}

/** Starts a server: `await using server = await startServer()`, or `close` it. */
export type StartServer = (options?: ServerOptions) => Promise<TestServer>

/** Runs a test with a server that is closed when the test has ended, and answers what it answers. */
export interface WithServer {
  <A>(body: (server: TestServer) => A | Promise<A>): Promise<A>
  <A>(options: ServerOptions, body: (server: TestServer) => A | Promise<A>): Promise<A>
}
