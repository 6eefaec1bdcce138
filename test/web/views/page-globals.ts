/** What views find in a browser, as far as drawing them once asks for it. Put in place of the globals when these tests are bundled. */

const kept = new Map<string, string>()

export const localStorage = {
  getItem: (name: string): string | null => kept.get(name) ?? null,
  setItem: (name: string, text: string): void => void kept.set(name, text),
  removeItem: (name: string): void => void kept.delete(name),
}

export const location = { origin: "http://localhost", hash: "", pathname: "/" }

export const history = { state: null, replaceState: (): void => undefined }

export const navigator = { languages: ["en"] }

export const document = { visibilityState: "visible", hasFocus: () => true }

export const addEventListener = (): void => undefined

export class WebSocket extends EventTarget {}
