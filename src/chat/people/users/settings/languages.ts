/**
 * The languages that clients can be shown in. The server's own texts are English: it keeps which one somebody has chosen
 * for the clients that have texts in it, and says what new accounts begin with.
 */
import { jsonOrText, oneOf } from "../../../../api/params.ts"
import { string } from "../../../../api/shapes.ts"

/** By their codes, each as those who speak it call it. */
const languages: Readonly<Record<string, string>> = {
  en: "English",
  ar: "العربيّة",
  be: "Беларуская",
  bg: "Български",
  bn: "বাংলা",
  ca: "Català",
  cs: "Čeština",
  cy: "Cymraeg",
  da: "Dansk",
  de: "Deutsch",
  el: "Ελληνικά",
  "en-gb": "English (UK)",
  eo: "Esperanto",
  es: "Español",
  fa: "فارسی",
  fi: "Suomi",
  fr: "Français",
  gl: "Galego",
  gu: "ગુજરાતી",
  he: "עברית",
  hi: "हिन्दी",
  hr: "Hrvatski",
  hu: "Magyar",
  id: "Bahasa Indonesia",
  it: "Italiano",
  ja: "日本語",
  kk: "Қазақша",
  ko: "한국어",
  lt: "Lietuvių",
  lv: "Latviešu",
  ml: "മലയാളം",
  mn: "Монгол",
  "nb-no": "Norsk bokmål",
  nl: "Nederlands",
  pl: "Polski",
  pt: "Português",
  "pt-br": "Português (Brasil)",
  ro: "Română",
  ru: "Русский",
  si: "සිංහල",
  sk: "Slovenčina",
  sl: "Slovenščina",
  sr: "Српски",
  sv: "Svenska",
  ta: "தமிழ்",
  th: "ไทย",
  tl: "Filipino",
  tr: "Türkçe",
  uk: "Українська",
  vi: "Tiếng Việt",
  "zh-hans": "简体中文",
  "zh-hant": "繁體中文",
}

const longestCode = 100

/** One of their codes. */
export const languageParam = oneOf(jsonOrText("default_language", string, { max: longestCode }), Object.keys(languages))

/** What an event about a setting has beside its value: of a language its name, of others nothing. */
export const languageOf = (property: string, value: unknown) =>
  property === "default_language" ? { language_name: languages[String(value)] ?? String(value) } : {}
