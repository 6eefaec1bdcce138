/** To-do lists: what people did in them, in its order. */
import t from "tap"
import { newTask, todoOf } from "../../src/web/state/todo.ts"

const act = (senderId: number, content: object | string) => ({
  senderId,
  content: typeof content === "string" ? content : JSON.stringify(content),
})
const author = 11
const tasks = [
  { task: "Bread", desc: "dark" },
  { task: "Milk", desc: "" },
  { task: "Bread", desc: "again" },
]
const begin = act(author, { widget_type: "todo", extra_data: { task_list_title: "Shopping", tasks } })
const added = (senderId: number, key: number, task: string, completed = false) =>
  act(senderId, { type: "new_task", key, task, desc: "", completed })
const strike = (senderId: number, key: string) => act(senderId, { type: "strike", key })

t.test("a list has its tasks and those that were added; who strikes one twice takes it up again", async (t) => {
  const todo = todoOf({
    senderId: author,
    acts: [
      begin,
      strike(2, "0,canned"),
      strike(3, "1,canned"),
      strike(2, "1,canned"),
      strike(2, "nothing"),
      added(2, 1, "Salt"),
      added(3, 1, "Salt"),
      added(3, 2, "Tea", true),
      added(2, 1, "Another of this key"),
      strike(author, "1,2"),
      act(2, { type: "new_task_list_title", title: "Mine" }),
      act(author, { type: "new_task_list_title", title: "For Friday" }),
      act(4, { type: "new_task", key: "1", task: "no number" }),
      act(4, "no json"),
      act(4, "null"),
    ],
  })
  t.strictSame(todo, {
    title: "For Friday",
    tasks: [
      { key: "0,canned", text: "Bread", about: "dark", isDone: true },
      { key: "1,canned", text: "Milk", about: "", isDone: false },
      { key: "1,2", text: "Salt", about: "", isDone: true },
      { key: "2,3", text: "Tea", about: "", isDone: true },
    ],
  })
  if (todo === null) return
  t.strictSame(newTask(todo, 3, " Soup: with noodles: many "), {
    type: "new_task",
    key: 3,
    task: "Soup",
    desc: "with noodles: many",
    completed: false,
  })
  t.match(newTask(todo, 9, "Jam:red"), { key: 1, task: "Jam:red", desc: "" })
})

t.test("other messages are no lists; one without anything in it is", async (t) => {
  for (const acts of [
    [],
    [act(1, "x")],
    [act(1, { widget_type: "poll", extra_data: {} })],
    [act(1, { widget_type: "todo" })],
  ])
    t.equal(todoOf({ acts, senderId: 1 }), null)
  t.strictSame(todoOf({ acts: [act(1, { widget_type: "todo", extra_data: {} })], senderId: 1 }), {
    title: "",
    tasks: [],
  })
})

t.test("a task that has not come yet keeps its key, and a text that begins with a colon is one", async (t) => {
  const empty = { title: "", tasks: [] }
  t.match(newTask(empty, 7, "milk"), { key: 1, task: "milk", desc: "" })
  t.match(newTask(empty, 7, "bread", 1), { key: 2, task: "bread" })
  t.match(newTask(empty, 7, ": milk"), { task: ": milk", desc: "" })
})
