/**
 * The names by which clients of this API know the emoji that people use most, where they differ from those of the data
 * set. Clients send these names with reactions and write them between colons, so they come before all other names: the
 * first is shown, the others are known too. Also the emoji that are newer than the data set. Read by unicode-emoji.ts.
 */

/** A line is a code, the name that is shown, and other names. */
export const clientNames = `
1f600 grinning happy
1f604 big_smile
1f601 grinning_face_with_smiling_eyes
1f606 laughing lol
1f602 joy tears laughter_tears
1f923 rolling_on_the_floor_laughing rofl
263a smiling_face relaxed
1f607 innocent halo
1f642 smile slight_smile
1f643 upside_down oops
1f60d heart_eyes in_love
1f618 heart_kiss blow_a_kiss
1f617 kiss
1f619 kiss_smiling_eyes
1f61a kiss_with_blush
1f61c stuck_out_tongue_wink joking crazy
1f61b stuck_out_tongue mischievous
1f911 money_face kaching
1f917 hug arms_open
1f913 nerd geek
1f921 clown
1f920 cowboy
1f60f smirk smug
1f614 pensive tired
1f615 oh_no half_frown concerned confused
1f641 frown slight_frown
2639 sad big_frown
1f623 persevere helpless
1f616 confounded agony
1f62b anguish
1f629 weary distraught
1f621 rage mad grumpy very_angry
1f636 speechless no_mouth blank poker_face
1f610 neutral
1f627 anguished pained
1f62e open_mouth surprise
1f635 dizzy
1f633 flushed embarrassed blushing
1f628 fear scared shock
1f625 exhausted disappointed_relieved stressed
1f924 drooling
1f644 rolling_eyes
1f914 thinking
1f925 lying
1f62c grimacing nervous anxious
1f910 silence quiet hush zip_it lips_are_sealed
1f922 nauseated queasy
1f927 sneezing
1f912 sick flu face_with_thermometer ill fever
1f915 hurt head_bandage injured
1f608 smiling_devil smiling_imp smiling_face_with_horns
1f47f devil imp angry_devil
1f479 ogre
1f47a goblin
1f4a9 poop pile_of_poo
1f47b ghost boo spooky haunted
1f47d alien ufo
1f383 jack-o-lantern pumpkin
1f450 open_hands
1f64c raised_hands praise
1f44f clap applause
1f64f pray welcome thank_you namaste
1f91d handshake done_deal
1f44d +1 thumbs_up like
1f44e -1 thumbs_down
1f44a fist_bump punch
270a fist power
1f91b left_fist
1f91c right_fist
1f91e fingers_crossed
270c peace_sign victory
1f918 rock_on sign_of_the_horns
1f44c ok got_it
1f446 point_up this
261d wait_one_second point_of_information asking_a_question
270b hand raised_hand
1f91a stop
1f590 high_five palm
1f596 spock live_long_and_prosper
1f44b wave hello hi
1f919 call_me
270d writing
1f485 nail_polish nail_care
1f444 lips mouth
1f48b lipstick_kiss
1f440 eyes looking
1f464 silhouette shadow
1f465 silhouettes shadows
1f46e police cop
1f575 detective spy sleuth agent sneaky
1f926 face_palm
1f937 shrug
1f645 no_signal nope
1f646 ok_signal
1f64b raising_hand pick_me
1f481 information_desk_person person_tipping_hand
1f3c3 running runner
1f6b6 walking pedestrian
1f483 dancer
1f57a dancing disco
2764 heart love love_you
1f494 broken_heart heartache
1f497 heart_pulse growing_heart
1f498 cupid smitten heart_arrow
1f49a green_heart envy
1f49b yellow_heart heart_of_gold
1f49c purple_heart bravery
1f4af 100 hundred
1f4a5 boom explosion crash collision
1f4ab seeing_stars
1f4ac umm speech_balloon
1f4ad thought dream
1f436 puppy
1f415 dog woof
1f431 kitten
1f408 cat meow
1f430 bunny
1f434 pony
1f40e horse
1f437 piglet
1f42d dormouse
1f42f tiger_cub
1f42e calf
1f98a fox
1f41b bug caterpillar
1f41d bee buzz honeybee
1f41e beetle ladybug
1f40d snake hiss
1f422 turtle tortoise
1f331 seedling sprout
1f340 lucky four_leaf_clover
1f337 tulip flower
1f31f glowing_star
26a1 high_voltage zap
1f525 fire lit hot flame
1f308 rainbow pride lgbtq
2600 sunny
2744 snowflake
1f4a7 drop water_drop
1f346 eggplant
1f37d hungry meal table_setting fork_and_knife_with_plate lets_eat
1f369 donut doughnut
1f942 clink toast
1f3c6 trophy winner
1f3c5 medal
1f947 first_place gold number_one
1f948 second_place silver
1f949 third_place bronze
1f3af direct_hit darts bulls_eye
1f3b2 dice die
1f3c1 checkered_flag race go start
1f697 car
1f6a8 siren rotating_light alert
1f6a7 work_in_progress construction_zone
1f6b2 bike bicycle
1f6eb take_off departure airplane_departure
1f6ec landing arrival airplane_arrival
1f3d6 beach
1f557 time clock
23f3 time_ticking hourglass
231b times_up hourglass_done
1f4f1 mobile_phone smartphone iphone android
1f4bb computer laptop
1f4de landline home_phone
1f50b battery full_battery
1f4a1 light_bulb bulb idea
1f4b0 money
1f4b8 losing_money easy_come_easy_go money_with_wings
1f48e gem crystal
2696 justice scales balance
1f527 fixing wrench
1f528 hammer maintenance handyman handywoman
1f6e0 working_on_it hammer_and_wrench tools
2699 gear settings mechanical engineer
1f52a knife hocho betrayed
1f489 injection syringe
1f48a medicine pill
1f321 temperature thermometer warm
1f511 key
1f381 gift present
1f388 balloon celebration
1f38a confetti party_ball
1f389 tada congratulations
2709 email envelope mail
1f4e5 inbox
1f4e4 outbox
1f4c4 document paper file page
1f4c5 calendar
1f4c8 chart upwards_trend growing increasing
1f4c9 downwards_trend shrinking decreasing
1f4c1 organize file_folder
1f4ce paperclip attachment
1f4cc push_pin thumb_tack
1f4cd pin sewing_pin
1f4dd memo note
1f50d search find magnifying_glass
1f512 locked
1f513 unlocked
1f510 secure lock_with_key safe commitment loyalty
1f517 link
1f514 notifications bell
1f515 mute_notifications
1f507 mute no_sound
1f50a louder sound
1f4e2 loudspeaker bullhorn
1f4e3 megaphone shout
2753 question
2757 exclamation
203c bangbang double_exclamation
26a0 warning caution danger
26d4 no_entry wrong_way
1f6ab prohibited not_allowed
1f6d1 stop_sign octagonal_sign
2705 check all_good approved
2714 check_mark
2611 checkbox
274c cross_mark incorrect wrong
274e x
2795 plus add
2796 minus subtract
2716 multiplication multiply
2b06 up north
2b07 down south
2b05 left west
27a1 right east
21a9 reply left_hook
21aa forward right_hook
1f53c upvote up_button increase
1f53d downvote down_button decrease
1f503 clockwise
1f504 counterclockwise return
267b recycle
1f4a4 zzz
1f310 www globe
1f197 squared_ok
1f199 squared_up
2728 sparkles glamour
1f384 holiday_tree
1f4f8 taking_a_picture say_cheese
1f37b beers
1f92f exploding_head mind_blown
1f973 partying_face
1f970 smiling_face_with_hearts
`

/** Emoji that the data set does not have yet, in the same form. */
export const newerEmoji = `
1f642-200d-2194 head_shaking_horizontally
1f642-200d-2195 head_shaking_vertically
1f426-200d-1f525 phoenix
1f34b-200d-1f7e9 lime
1f344-200d-1f7eb brown_mushroom
26d3-200d-1f4a5 broken_chain
1fae9 face_with_bags_under_eyes
1fac6 fingerprint
1fabe leafless_tree
1fadc root_vegetable
1fa89 harp
1fa8f shovel
1fadf splatter
1faea distorted_face
1faef fight_cloud
1fac8 hairy_creature
1facd orca
1fa8e treasure_chest
1fa8a trombone
1f6d8 landslide
`
