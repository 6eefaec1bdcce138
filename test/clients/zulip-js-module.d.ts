/** Types of the npm package zulip-js, as far as zulip-js.test.ts uses it: it has none of its own. */
declare module "zulip-js" {
  type Answer = Promise<Readonly<Record<string, unknown>>>
  type Parameters = Readonly<Record<string, unknown>>
  type Ask = (parameters?: Parameters) => Answer

  interface Config {
    readonly username: string
    readonly password?: string
    readonly apiKey?: string
    /** The server's address. */
    readonly realm: string
  }

  interface Zulip {
    readonly config: Config
    readonly callEndpoint: (endpoint: string, method?: string, parameters?: Parameters) => Answer
    readonly accounts: { readonly retrieve: Ask }
    readonly server: { readonly settings: Ask }
    readonly queues: { readonly register: Ask; readonly deregister: Ask }
    readonly events: { readonly retrieve: Ask }
    readonly messages: {
      readonly send: Ask
      readonly retrieve: Ask
      readonly getById: Ask
      readonly render: (content: string | Parameters) => Answer
      readonly update: Ask
      readonly getHistoryById: Ask
      readonly deleteById: Ask
      readonly deleteReactionById: Ask
      readonly flags: { readonly add: Ask; readonly remove: Ask }
    }
    readonly emojis: { readonly retrieve: Ask }
    readonly filters: { readonly retrieve: Ask }
    readonly reactions: { readonly add: Ask; readonly remove: Ask }
    readonly streams: {
      readonly retrieve: Ask
      readonly getStreamId: (stream: string | Parameters) => Answer
      readonly subscriptions: { readonly retrieve: Ask }
      readonly topics: { readonly retrieve: Ask }
    }
    readonly typing: { readonly send: Ask }
    readonly reactions: { readonly add: Ask; readonly remove: Ask }
    readonly users: {
      readonly retrieve: Ask
      readonly create: Ask
      readonly me: {
        readonly getProfile: Ask
        readonly subscriptions: { readonly add: Ask; readonly remove: Ask }
      }
    }
    /** Calls back with each event, asking about once a second, until it is told to stop. */
    readonly callOnEachEvent: (
      callback: (event: Readonly<Record<string, unknown>>) => void,
      eventTypes?: ReadonlyArray<string>,
    ) => Promise<void>
  }

  const zulip: (config: Config) => Promise<Zulip>
  export default zulip
}
