/**
 * The edge: opens a port with uWebSockets.js and hands each request over as plain copied values with a WireResponse.
 * The native request lives only during its handler, an answer or socket only until it has ended, and an exception
 * inside a native callback ends the process: so everything is copied, wrapped and guarded here. uWebSockets closes
 * a connection when a request comes pipelined behind one that is not answered yet. main.ts opens the port, server.ts
 * answers on it.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ConfigShape } from "../../config/config.ts"
import type { AnswerPort } from "./answer-port.ts"
import { answerEarly } from "./answer-while-starting.ts"
import { type PortInUse, refusePort } from "./port-in-use.ts"
import { loadUws, type Native, type PlatformUnsupported, type UwsModule } from "./uws-loader.ts"
import { WireResponse } from "./uws-response.ts"
import { type OnSocketOpen, type SocketUserData, WireSocket } from "./uws-socket.ts"
import { copyRequest, copyUpgrade, upgradeWithBody, type WireRequest } from "./wire-request.ts"

export { PortInUse } from "./port-in-use.ts"
export type { WireRequest } from "./wire-request.ts"

/** A request to become a WebSocket. */
export interface WireUpgrade extends WireRequest {
  readonly protocols: string
  readonly version: string
  /** Accepts, with the chosen subprotocol or an empty one. No effect if the client has gone away. */
  readonly accept: (protocol: string, onOpen: OnSocketOpen) => void
}

export interface PortHandlers {
  readonly request: (request: WireRequest, response: WireResponse) => void
  readonly upgrade: (request: WireUpgrade, response: WireResponse) => void
  /** Whether a new connection from this address may stay; nothing of it has been read. `open` counts it. */
  readonly admits: (peer: string, open: number) => boolean
  /** Gets the error that one of these threw. The connection is cut. */
  readonly fault: (fault: unknown) => void
}

interface ListenOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly portSetting: string
  readonly hostSetting: string
  /** A longer message cuts the connection without a close frame, by the library: the owner's own limit is lower. */
  readonly socketMessageBytes: number
  /** Unsent bytes above which a socket counts as stalled. */
  readonly socketOwedBytes: number
  /** A socket that has sent nothing, not even a pong, for this time is cut. */
  readonly socketSilentSeconds: number
  /** Whether X-Forwarded-For is wanted. */
  readonly readForwarded: boolean
  /** `LIBUS_LISTEN_EXCLUSIVE_PORT` or nothing: then other processes of this user may open the port as well. */
  readonly sharing: Native.ListenOptions
}

/** All of the configuration that the network layer reads. `portSetting`, `hostSetting`: what an operator sets these by. */
type PortConfig = Pick<ConfigShape, "host" | "port" | "processes" | "trustedProxies" | "limits"> & {
  readonly portSetting?: string
  readonly hostSetting?: string
}

/** The path at which clients ask for a WebSocket. */
export const socketPath = "/api/v1/events/ws"
/**
 * Bytes of a message up to which a socket is closed with a reason (socket-session.ts, by a much lower limit). The library keeps
 * so much of one message for each socket, signed in or not: socket-endpoint.ts bounds how many may be there that are not.
 */
export const longestSocketMessage = 1024 * 1024
/** Seconds added to the limit on stalled sockets, so that the queue closes them first, with a reason. */
const silenceMargin = 60
/** The packages export it, their types do not. */
const exclusivePort: Native.ListenOptions = 1
const sharedPort: Native.ListenOptions = 0
/** Most seconds of silence that uWebSockets allows; it wants a multiple of four. */
const longestSilence = 960

const listenOptions = ({
  host,
  port,
  portSetting,
  hostSetting,
  processes,
  trustedProxies,
  limits,
}: PortConfig): ListenOptions => ({
  host,
  port,
  portSetting: portSetting ?? "PARLEY_PORT",
  hostSetting: hostSetting ?? "PARLEY_HOST",
  socketMessageBytes: Math.max(longestSocketMessage, 4 * limits.socketFrameBytes),
  socketOwedBytes: limits.socketBackpressureBytes,
  socketSilentSeconds: Math.min(longestSilence, 4 * Math.ceil((limits.socketStalledSeconds + silenceMargin) / 4)),
  readForwarded: trustedProxies.length > 0,
  sharing: processes?.child == null ? exclusivePort : sharedPort,
})

export interface PortListener {
  readonly port: number
  /** Number of connections that are open, sockets included. */
  readonly connections: () => number
  /** From now on these handle requests. Before, each is answered that the server is not ready yet (answer-while-starting.ts). */
  readonly serve: (handlers: PortHandlers) => void
  /** From now on each answer is the last one of its connection. */
  readonly endConnections: () => void
  /** No new connections; those that are open go on. */
  readonly stopListening: () => void
  /** Closes everything at once; every abort and close handler is called. */
  readonly close: () => void
}

/** More unsent bytes than any queue allows: queues stop at their own limit, so uWebSockets never drops a frame. */
const mostOwedBytes = 64 * 1024 * 1024

interface PortState extends AnswerPort {
  /** Connections that are open now. */
  open: number
  isEnding: boolean
}

const serve = (
  uws: UwsModule,
  app: Native.TemplatedApp,
  options: ListenOptions,
  handlers: PortHandlers,
  state: PortState,
): void => {
  const guarded = (native: Native.WebSocket<SocketUserData>, task: (socket: WireSocket) => void): void => {
    const { socket } = native.getUserData()
    try {
      task(socket)
    } catch (fault) {
      handlers.fault(fault)
      socket.terminate()
    }
  }
  /**
   * Called with 1 for each new connection, and with -1 at the end of each but a socket, whose own close event tells it.
   * At the end there is no address any more. Closing within the call is safe, and is the cheapest refusal there is.
   */
  const noteConnection = (native: Native.HttpResponse, change: number): void => {
    state.open += change
    if (change < 0) return
    try {
      const peer = Buffer.from(native.getRemoteAddressAsText()).toString("latin1")
      if (!handlers.admits(peer, state.open)) native.close()
    } catch (fault) {
      handlers.fault(fault)
      native.close()
    }
  }
  app.filter((native, change) => noteConnection(native, Number(change)))
  /** The socket that an upgrade has just opened, until its `accept` takes it: see WireResponse.upgrade. */
  const opened: Array<Native.WebSocket<SocketUserData>> = []
  const noteOpened: (native: Native.WebSocket<SocketUserData>) => void = opened.push.bind(opened)

  app.ws<SocketUserData>(socketPath, {
    compression: uws.DISABLED,
    maxPayloadLength: options.socketMessageBytes,
    maxBackpressure: mostOwedBytes,
    closeOnBackpressureLimit: false,
    idleTimeout: options.socketSilentSeconds,
    sendPingsAutomatically: true,
    upgrade: (native, request, context) => {
      const copied = copyRequest(request, request.getCaseSensitiveMethod(), options.readForwarded)
      const { key, version, protocols, extensions, fault } = copyUpgrade(request)
      const response = new WireResponse(native, false, state)
      if (copied.isLast) response.closesItself()
      response.guard(() => {
        const doubt = copied.fault === "" ? fault : copied.fault
        if (copied.hasBody || doubt !== "") response.doubtEnd()
        handlers.upgrade(
          {
            ...copied,
            fault: doubt === "" && copied.hasBody ? upgradeWithBody : doubt,
            protocols,
            version,
            accept: (protocol, onOpen) => {
              const socket = new WireSocket(onOpen, options.socketOwedBytes)
              response.upgrade({ socket }, key, protocol, extensions, context)
              const native = opened.pop()
              if (native !== undefined) guarded(native, () => socket.handleOpen(native))
            },
          },
          response,
        )
      })
    },
    open: noteOpened,
    message: (native, message, isBinary) =>
      guarded(native, ({ events }) => {
        events?.onFrame(message, isBinary)
      }),
    drain: (native) => guarded(native, ({ events }) => events?.onDrain()),
    close: (native) => {
      state.open -= 1
      guarded(native, (socket) => socket.handleClose())
    },
  })
  app.any("/*", (native, request) => {
    const method = request.getCaseSensitiveMethod()
    const response = new WireResponse(native, method === "HEAD", state)
    try {
      const copied = copyRequest(request, method, options.readForwarded)
      if (copied.isLast) response.closesItself()
      // The native side parses chunks too leniently to know where the next request begins.
      if (copied.isChunked || copied.fault !== "") response.doubtEnd()
      handlers.request(copied, response)
    } catch (fault) {
      response.failed(fault)
    }
  })
}

const open = (options: ListenOptions): Effect.Effect<PortListener, PortInUse | PlatformUnsupported> =>
  Effect.flatMap(loadUws, (uws) =>
    Effect.suspend(() => {
      const app = uws.App()
      let serving: PortHandlers = { request: answerEarly, upgrade: answerEarly, admits: () => true, fault: () => {} }
      const handlers: PortHandlers = {
        request: (request, response) => serving.request(request, response),
        upgrade: (request, response) => serving.upgrade(request, response),
        admits: (peer, open) => serving.admits(peer, open),
        fault: (fault) => serving.fault(fault),
      }
      const port: PortState = { open: 0, isEnding: false, fault: handlers.fault }
      serve(uws, app, options, handlers, port)
      const opened: Array<Native.us_listen_socket> = []
      app.listen(options.host, options.port, options.sharing, (socket) => {
        if (socket) opened.push(socket)
      })
      const [socket] = opened
      if (socket === undefined) {
        app.close()
        return refusePort(options)
      }
      let state: "listening" | "stopped" | "closed" = "listening"
      const stopListening = () => {
        if (state === "listening") uws.us_listen_socket_close(socket)
        if (state === "listening") state = "stopped"
      }
      return Effect.succeed({
        port: uws.us_socket_local_port(socket),
        connections: () => port.open,
        serve: (handlers: PortHandlers) => {
          serving = handlers
        },
        endConnections: () => {
          port.isEnding = true
        },
        stopListening,
        close: () => {
          stopListening()
          if (state === "stopped") app.close()
          state = "closed"
        },
      })
    }),
  )

/**
 * Opens the port until the scope closes: for this process alone, but where it is one of several that a parent has started at
 * one port. Without the option the system would let any second server of the same user listen on it, too.
 */
export const openPort = (
  config: PortConfig,
): Effect.Effect<PortListener, PortInUse | PlatformUnsupported, Scope.Scope> =>
  Effect.acquireRelease(open(listenOptions(config)), (listener) => Effect.sync(listener.close))
