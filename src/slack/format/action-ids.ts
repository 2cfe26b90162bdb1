/** What Slack names in a delivery when somebody presses something of ours (`action_id`). A button's value is the question's id. */

export const SHOW_WORK = 'thinkaloud_show_work'
export const ASK_AGAIN = 'thinkaloud_ask_again'
/** The thumbs; their value is `up:ID` or `down:ID`. */
export const FEEDBACK = 'thinkaloud_feedback'

/** Modals and shortcuts (`callback_id`), and the buttons below a private answer. */
export const SETTINGS = 'thinkaloud_settings'
export const ASK_ABOUT = 'thinkaloud_ask_about'
export const SHARE = 'thinkaloud_share'
export const KEEP = 'thinkaloud_keep'
