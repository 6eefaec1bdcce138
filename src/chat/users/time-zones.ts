/**
 * Time zones by name. The runtime takes a name in any case and tells the spelling of those that it lists only. Which of a
 * zone's names these are differs between its versions, so the others are listed here.
 */

/** Names that a version of the runtime takes and does not list: links to other zones, and zones without a place. */
const others = `
  Africa/Asmara Africa/Asmera Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
  America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/Mendoza
  America/Atikokan America/Atka America/Buenos_Aires America/Catamarca America/Coral_Harbour America/Cordoba
  America/Ensenada America/Fort_Wayne America/Godthab America/Indiana/Indianapolis America/Indianapolis America/Jujuy
  America/Kentucky/Louisville America/Knox_IN America/Louisville America/Mendoza America/Montreal America/Nipigon
  America/Nuuk America/Pangnirtung America/Porto_Acre America/Rainy_River America/Rosario America/Santa_Isabel
  America/Shiprock America/Thunder_Bay America/Virgin America/Yellowknife Antarctica/South_Pole Asia/Ashkhabad
  Asia/Calcutta Asia/Choibalsan Asia/Chongqing Asia/Chungking Asia/Dacca Asia/Harbin Asia/Ho_Chi_Minh Asia/Istanbul
  Asia/Kashgar Asia/Kathmandu Asia/Katmandu Asia/Kolkata Asia/Macao Asia/Rangoon Asia/Saigon Asia/Tel_Aviv Asia/Thimbu
  Asia/Thimphu Asia/Ujung_Pandang Asia/Ulan_Bator Asia/Yangon Atlantic/Faeroe Atlantic/Faroe Atlantic/Jan_Mayen
  Australia/ACT Australia/Canberra Australia/Currie Australia/LHI Australia/NSW Australia/North Australia/Queensland
  Australia/South Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna Brazil/Acre
  Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT Canada/Atlantic Canada/Central Canada/Eastern Canada/Mountain
  Canada/Newfoundland Canada/Pacific Canada/Saskatchewan Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET
  EST EST5EDT Egypt Eire Etc/GMT Etc/GMT+0 Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4
  Etc/GMT+5 Etc/GMT+6 Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-0 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13
  Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9 Etc/GMT0 Etc/Greenwich
  Etc/UCT Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast Europe/Kiev Europe/Kyiv Europe/Nicosia Europe/Tiraspol
  Europe/Uzhgorod Europe/Zaporozhye GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica
  Japan Kwajalein Libya MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT
  Pacific/Chuuk Pacific/Enderbury Pacific/Johnston Pacific/Kanton Pacific/Pohnpei Pacific/Ponape Pacific/Samoa
  Pacific/Truk Pacific/Yap Poland Portugal ROC ROK Singapore Turkey UCT US/Alaska US/Aleutian US/Arizona US/Central
  US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa UTC Universal
  W-SU WET Zulu
`

const isKnown = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const caseless = (name: string): string => name.toLowerCase()

let spellings: ReadonlyMap<string, string> | undefined

/** The proper spelling of a time zone's name, which is not replaced by another name of the zone; undefined: no zone. */
export const findTimeZone = (name: string): string | undefined => {
  // Made at the first use, not at the start, of which it would take some milliseconds.
  spellings ??= new Map(
    [...others.trim().split(/\s+/), ...Intl.supportedValuesOf("timeZone")].map((each) => [caseless(each), each]),
  )
  const found = spellings.get(caseless(name))
  return found !== undefined && isKnown(found) ? found : undefined
}
