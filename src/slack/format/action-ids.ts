/** The `action_id`s of the bot's buttons. The `value` of each is the id of the question that it belongs to. */
export const ASK_EDITED = 'thinkaloud_ask_edited'
export const SHOW_WORK = 'thinkaloud_show_work'
export const ASK_AGAIN = 'thinkaloud_ask_again'
export const SHARE = 'thinkaloud_share'
export const KEEP = 'thinkaloud_keep'
/** The thumbs; their values are `up:ID` and `down:ID`. */
export const FEEDBACK = 'thinkaloud_feedback'

/** The `callback_id`s of modals and shortcuts. */
export const SETTINGS = 'thinkaloud_settings'
export const ASK_ABOUT = 'thinkaloud_ask_about'
