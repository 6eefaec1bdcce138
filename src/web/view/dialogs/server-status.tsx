/** For owners of the server's only organization: how the server is, by its own figures, every few seconds while it is looked at. */
import { useEffect, useState } from "preact/hooks"
import { authorization } from "../../live/message-pictures.ts"
import { answeredMost, largest, readFigures, type ServerFigure, sumOf } from "../../state/server-figures.ts"
import { words } from "../../words/words.ts"
import { useChat } from "../parts/hooks.ts"
import { fullTime } from "../parts/times.ts"
import { Dialog } from "./dialog.tsx"

type MetricsByName = ReadonlyMap<string, ServerFigure>

const refreshIntervalMilliseconds = 5_000
const mostEndpoints = 12

const wholeNumber = new Intl.NumberFormat(words.language, { maximumFractionDigits: 0 })
const fine = new Intl.NumberFormat(words.language, { maximumFractionDigits: 1 })

const megabytes = (figure: ServerFigure | undefined): string => `${wholeNumber.format(sumOf(figure) / 1e6)} MB`

const loopDelayP99 = (figures: MetricsByName): number =>
  figures.get("parley_loop_delay_seconds")?.samples.find(({ labels }) => labels["share"] === "0.99")?.value ?? 0

const factsOf = (figures: MetricsByName): ReadonlyArray<readonly [name: string, value: string]> => {
  const sum = (name: string): string => wholeNumber.format(sumOf(figures.get(name)))
  const isWell = sumOf(figures.get("parley_database_up")) === 1
  const isWritten = sumOf(figures.get("parley_database_writes_fail")) === 0
  return [
    [words.server.database, isWell && isWritten ? words.server.works : words.server.fails],
    [words.server.since, fullTime(sumOf(figures.get("process_start_time_seconds")))],
    [words.server.memory, megabytes(figures.get("process_resident_memory_bytes"))],
    [words.server.delay, `${fine.format(loopDelayP99(figures) * 1000)} ms`],
    [words.server.connections, sum("parley_connections")],
    [words.server.queues, `${sum("parley_queues_connected")} / ${sum("parley_queues")}`],
    [words.server.commits, `${sum("parley_commands_total")} / ${sum("parley_commits_total")}`],
    [words.server.underWay, sum("parley_outbox_under_way")],
    [words.server.givenUp, sum("parley_outbox_given_up_total")],
    [words.server.failures, sum("parley_job_failures_total")],
  ]
}

const CountList = ({ title, rows }: { title: string; rows: ReadonlyArray<readonly [string, number]> }) =>
  rows.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <dl class="facts long">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{wholeNumber.format(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  )

const MetricLists = ({ figures }: { readonly figures: MetricsByName }) => (
  <>
    <dl class="facts long">
      {factsOf(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    <h3>{words.server.endpoints}</h3>
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">{words.server.endpoint}</th>
          <th scope="col">{words.server.count}</th>
          <th scope="col">{words.server.each}</th>
        </tr>
      </thead>
      <tbody>
        {answeredMost(figures, mostEndpoints).map(({ endpoint, count, milliseconds }) => (
          <tr key={endpoint}>
            <td>
              <code dir="ltr">{endpoint}</code>
            </td>
            <td>{wholeNumber.format(count)}</td>
            <td>{fine.format(milliseconds)} ms</td>
          </tr>
        ))}
      </tbody>
    </table>
    <CountList title={words.server.refusals} rows={largest(figures.get("parley_refusals_total"), "limit")} />
    <CountList title={words.server.closed} rows={largest(figures.get("parley_sockets_closed_total"), "reason")} />
  </>
)

export const ServerStatus = () => {
  const chat = useChat()
  const [figures, setFigures] = useState<MetricsByName | null>(null)
  const [fault, setFault] = useState("")
  useEffect(() => {
    const left = new AbortController()
    const read = async () => {
      const headers = { Authorization: authorization(chat.account) }
      const answer = await fetch("/metrics", { headers, credentials: "omit", signal: left.signal })
      const isThere = answer.ok
      if (isThere) setFigures(readFigures(await answer.text()))
      setFault(isThere ? "" : words.server.hidden)
    }
    const look = () => void read().catch(() => !left.signal.aborted && setFault(words.cannotReach))
    look()
    const timer = setInterval(look, refreshIntervalMilliseconds)
    return () => {
      left.abort()
      clearInterval(timer)
    }
  }, [])
  return (
    <Dialog title={words.server.title}>
      <p class="fault" role="alert">
        {fault}
      </p>
      {figures !== null && <MetricLists figures={figures} />}
    </Dialog>
  )
}
