/** To-do lists: messages that began with `/todo`, and what people did in them, as the acts of the message say it in their order. */

import type { PagePost, WidgetAct } from "./model.ts"
import { beginningOf, fieldsIn, readFields, textOf } from "./widget-data.ts"

interface TodoTask {
  /** What a strike names. */
  readonly key: string
  readonly text: string
  /** What there is to say about it; may be empty. */
  readonly about: string
  readonly isDone: boolean
}

export interface TodoList {
  /** May be empty. */
  readonly title: string
  readonly tasks: ReadonlyArray<TodoTask>
}

interface TodoBuilder {
  title: string
  readonly tasks: Map<string, TodoTask>
  /** Two tasks of one text are one, and the later is not added. */
  readonly texts: Set<string>
}

const addTask = ({ tasks, texts }: TodoBuilder, key: string, text: string, about: string, isDone: boolean): void => {
  if (text === "" || tasks.has(key) || texts.has(text)) return
  tasks.set(key, { key, text, about, isDone })
  texts.add(text)
}

/** Whoever strikes a task that is done takes it up again. */
const strike = ({ tasks }: TodoBuilder, key: string): void => {
  const task = tasks.get(key)
  if (task !== undefined) tasks.set(key, { ...task, isDone: !task.isDone })
}

const follow = (making: TodoBuilder, { senderId, content }: WidgetAct, author: number): void => {
  const { type, key, task, desc, completed, title } = readFields(content)
  if (type === "strike") strike(making, textOf(key))
  else if (type === "new_task" && typeof key === "number")
    addTask(making, `${key},${senderId}`, textOf(task), textOf(desc), completed === true)
  else if (type === "new_task_list_title" && typeof title === "string" && senderId === author) making.title = title
}

/** Null where the message is none. */
export const todoOf = (post: Pick<PagePost, "acts" | "senderId">): TodoList | null => {
  const beginning = beginningOf(post, "todo")
  if (beginning === null) return null
  const making: TodoBuilder = { title: textOf(beginning["task_list_title"]), tasks: new Map(), texts: new Set() }
  for (const [n, { task, desc }] of fieldsIn(beginning["tasks"]).entries())
    addTask(making, `${n},canned`, textOf(task), textOf(desc), false)
  for (const act of post.acts.slice(1)) follow(making, act, post.senderId)
  return { title: making.title, tasks: [...making.tasks.values()] }
}

const ownTask = /^(\d+),(\d+)$/

/**
 * The act of somebody who adds what they wrote: a task, or a task, a colon and what there is to say about it. `sent`: the key of
 * the last one that they have added, which may not have come yet; 0 where there is none.
 */
export const newTask = ({ tasks }: TodoList, user: number, written: string, sent = 0) => {
  const key = tasks.reduce((most, { key }) => {
    const [, index, who] = ownTask.exec(key) ?? []
    return Number(who) === user ? Math.max(most, Number(index)) : most
  }, sent)
  const at = written.indexOf(": ")
  const task = (at <= 0 ? written : written.slice(0, at)).trim()
  const desc = at <= 0 ? "" : written.slice(at + 2).trim()
  return { type: "new_task", key: key + 1, task, desc, completed: false }
}
