/**
 * Slack's names of emoji. Most are names here, too, and stay as they are. Those that mean another emoji here (`:x:`), or
 * nothing, become the character itself, and so do those with a skin tone, which no name has here.
 */
import { findEmojiByCode, findEmojiByName } from "../../../../text/emoji/unicode-emoji.ts"

/** Code points of emoji, and Slack's names of each that are no names of it here, and follow none of the rules below. */
const table = `
1f197 ok, 1f199 up, 1f396 medal, 1f431 cat, 1f434 horse, 1f436 dog, 1f470 bride_with_veil, 1f473 man_with_turban,
1f482 guardsman, 1f48b kiss, 1f4ab dizzy, 1f4b9 chart, 1f4c6 calendar, 1f4dd pencil, 1f509 sound, 1f604 smile,
1f646 ok_woman, 1f6f0 satellite, 1fab2 beetle, 231b hourglass, 2602 umbrella, 2603 snowman, 261d point_up, 274c x,
3297 congratulations, 1f325 sun_behind_cloud barely_sunny, 1f642 simple_smile, 002a-20e3 keycap_star,
1f324 mostly_sunny sun_small_cloud, 1f326 partly_sunny_rain, 1f327 rain_cloud, 1f328 snow_cloud,
1f329 lightning lightning_cloud, 1f32a tornado_cloud, 1f32c wind_blowing_face, 1f37d knife_fork_plate,
1f3cb weight_lifter, 1f3cc golfer, 1f3cd racing_motorcycle, 1f3cf cricket_bat_and_ball,
1f3d1 field_hockey_stick_and_ball, 1f3d2 ice_hockey_stick_and_puck, 1f3d3 table_tennis_paddle_and_ball,
1f3d8 house_buildings, 1f3da derelict_house_building, 1f3f3 waving_white_flag, 1f3f4 waving_black_flag,
1f3f8 badminton_racquet_and_shuttlecock, 1f468-200d-2695 male-doctor, 1f469-200d-2695 female-doctor,
1f468-200d-2764-200d-1f468 man-heart-man, 1f469-200d-2764-200d-1f468 woman-heart-man,
1f469-200d-2764-200d-1f469 woman-heart-woman, 1f469-200d-2764-200d-1f48b-200d-1f468 woman-kiss-man,
1f46b man_and_woman_holding_hands, 1f46f-200d-2640 women-with-bunny-ears-partying woman-with-bunny-ears-partying,
1f46f-200d-2642 men-with-bunny-ears-partying man-with-bunny-ears-partying, 1f471 person_with_blond_hair,
1f549 om_symbol, 1f54a dove_of_peace, 1f54e menorah_with_nine_branches, 1f574 man_in_business_suit_levitating,
1f575 sleuth_or_spy, 1f58a lower_left_ballpoint_pen, 1f58b lower_left_fountain_pen, 1f58c lower_left_paintbrush,
1f58d lower_left_crayon, 1f595 reversed_hand_with_middle_finger_extended, 1f596 spock-hand, 1f5b1 three_button_mouse,
1f5bc frame_with_picture, 1f5d2 spiral_note_pad, 1f5d3 spiral_calendar_pad, 1f5dc compression, 1f5e1 dagger_knife,
1f5e3 speaking_head_in_silhouette, 1f64e person_with_pouting_face, 1f6cc sleeping_accommodation,
1f6d2 shopping_trolley, 1f6ec airplane_arriving, 1f6f4 scooter, 1f916 robot_face, 1f917 hugging_face, 1f918 the_horns,
1f91e hand_with_index_and_middle_fingers_crossed, 1f91f i_love_you_hand_sign, 1f920 face_with_cowboy_hat,
1f928 face_with_one_eyebrow_raised, 1f929 grinning_face_with_star_eyes,
1f92a grinning_face_with_one_large_and_one_small_eye, 1f92b face_with_finger_covering_closed_lips,
1f92c serious_face_with_symbols_covering_mouth, 1f92d smiling_face_with_smiling_eyes_and_hand_covering_mouth,
1f92e face_with_open_mouth_vomiting, 1f92f shocked_face_with_exploding_head, 1f936 mother_christmas,
1f938 person_doing_cartwheel, 1f939 juggling, 1f93a fencer, 1f93c wrestlers, 1f93c-200d-2640 woman-wrestling,
1f93c-200d-2642 man-wrestling, 1f93e handball, 1f941 drum_with_drumsticks, 1f947 first_place_medal,
1f948 second_place_medal, 1f949 third_place_medal, 1f95d kiwifruit, 1f970 smiling_face_with_3_hearts,
1f97f womans_flat_shoe, 1f981 lion_face, 1f984 unicorn_face, 1f992 giraffe_face, 1f993 zebra_face, 1f9c9 mate_drink,
1f9d1-200d-1f9b0 red_haired_person, 1f9d1-200d-1f9b1 curly_haired_person, 1f9d1-200d-1f9b2 bald_person,
1f9d1-200d-1f9b3 white_haired_person, 1f9d4-200d-2640 woman_with_beard, 1f9d4-200d-2642 man_with_beard,
1f9d5 person_with_headscarf, 1f9d1-200d-1f9d1-200d-1f9d2 family_adult_adult_child,
1f9d1-200d-1f9d1-200d-1f9d2-200d-1f9d2 family_adult_adult_child_child,
1f9d1-200d-1f9d2-200d-1f9d2 family_adult_child_child, 1f9d1-200d-1f9d2 family_adult_child, 23cf eject,
23ed black_right_pointing_double_triangle_with_vertical_bar,
23ee black_left_pointing_double_triangle_with_vertical_bar,
23ef black_right_pointing_triangle_with_double_vertical_bar, 23f8 double_vertical_bar, 23f9 black_square_for_stop,
23fa black_circle_for_record, 2622 radioactive_sign, 2623 biohazard_sign, 2639 white_frowning_face,
2695 staff_of_aesculapius, 26c8 thunder_cloud_and_rain, 26d1 helmet_with_white_cross, 26f9 person_with_ball,
2763 heavy_heart_exclamation_mark_ornament, 1f1e8-1f1f6 flag-sark`

const characterOf = (code: string): string =>
  findEmojiByCode(code)?.character ??
  String.fromCodePoint(...code.split("-").map((point) => Number.parseInt(point, 16)))

const characters: ReadonlyMap<string, string> = new Map(
  table.split(",").flatMap((line) => {
    const [code = "", ...names] = line.trim().split(" ")
    return names.map((name) => [name, characterOf(code)] as const)
  }),
)

const regionalA = 0x1f1e6
const lightest = 0x1f3fb

const tone = (digit: string): string => String.fromCodePoint(lightest + Number(digit) - 2)

/** `flag-nl`, `skin-tone-2`. */
const madeOf = (name: string): string | undefined => {
  const [, country] = /^flag-([a-z]{2})$/.exec(name) ?? []
  if (country !== undefined)
    return String.fromCodePoint(...Array.from(country, (letter) => regionalA + letter.charCodeAt(0) - 97))
  const [, digit] = /^skin-tone-([2-6])$/.exec(name) ?? []
  return digit === undefined ? undefined : tone(digit)
}

/** What the data set calls Slack's `male-cook`, `woman-golfing`, `man-girl-boy`, `large_green_circle`, `star-struck`. */
const spellings = (name: string): ReadonlyArray<string> => {
  const plain = name.replaceAll("-", "_")
  const [, sex, job] = /^(fe)?male_(.+)$/.exec(plain) ?? []
  const [, person, act] = /^(woman|man)_(.+)$/.exec(plain) ?? []
  const large = /^large_(.+_(?:circle|square))$/.exec(plain)?.[1]
  return [
    plain,
    `family_${plain}`,
    ...(job === undefined ? [] : [`${sex === undefined ? "man" : "woman"}_${job}`]),
    ...(person === undefined ? [] : [`${act}_${person}`]),
    ...(large === undefined ? [] : [large]),
  ]
}

/** The character that Slack means; undefined where it knows no such name. */
const meant = (name: string): string | undefined => {
  const told = characters.get(name) ?? findEmojiByName(name)?.character ?? madeOf(name)
  if (told !== undefined) return told
  for (const spelling of spellings(name)) {
    const found = findEmojiByName(spelling)
    if (found !== undefined) return found.character
  }
  return undefined
}

/** The tone belongs to the first person, and stands in place of a variation selector. */
const toned = (character: string, digit: string): string => {
  const [first = "", ...rest] = character
  return first + tone(digit) + rest.join("").replace(/^\uFE0F/, "")
}

const named = /:([a-z0-9_+'-]{1,100}):(?::skin-tone-([2-6]):)?/y

/** A text of Slack's with its emoji as they are called here. */
export const withEmoji = (text: string): string => {
  const pieces: Array<string> = []
  let done = 0
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at)) {
    named.lastIndex = at
    const [whole = ":", name = "", digit] = named.exec(text) ?? []
    const character = name === "" ? undefined : meant(name)
    // The colon at the end of what is no name may begin one: `10:30:x:`.
    if (character === undefined) at += Math.max(1, whole.length - 1)
    else {
      const isSame = digit === undefined && findEmojiByName(name)?.character === character
      pieces.push(text.slice(done, at), isSame ? whole : digit === undefined ? character : toned(character, digit))
      at += whole.length
      done = at
    }
  }
  return done === 0 ? text : pieces.join("") + text.slice(done)
}
