/** What Slack names in a delivery when somebody presses something of ours (`action_id`). A button's value is the question's id. */

export const SHOW_WORK = 'thinkaloud_show_work'
export const ASK_AGAIN = 'thinkaloud_ask_again'
/** The thumbs; their value is `up:ID` or `down:ID`. */
export const FEEDBACK = 'thinkaloud_feedback'
