/** The `action_id`s of our buttons and inputs. Unless noted otherwise, a button's value is the question's id. */

export const SHOW_WORK = 'thinkaloud_show_work'
export const ASK_AGAIN = 'thinkaloud_ask_again'
/** On the card that asks who should see a question; their value names the question and has its text. */
export const ASK_ALONE = 'thinkaloud_ask_alone'
export const ASK_HERE = 'thinkaloud_ask_here'
/** On the cards that the model opens for the asker alone; their value begins with the question's id. */
export const PROPOSED_REMEMBER = 'thinkaloud_proposed_remember'
export const PROPOSED_NO = 'thinkaloud_proposed_no'
export const OPEN_SETTINGS = 'thinkaloud_open_settings'
export const SHARE = 'thinkaloud_share'
export const KEEP = 'thinkaloud_keep'
/** The thumbs; their values are `up:ID` and `down:ID`. */
export const FEEDBACK = 'thinkaloud_feedback'
/** The form that asks what was wrong. */
export const FEEDBACK_COMMENT = 'thinkaloud_feedback_comment'
/** Buttons to another page of the work; their value is the page number, from 0. */
export const WORK_PREVIOUS = 'thinkaloud_show_work_previous'
export const WORK_NEXT = 'thinkaloud_show_work_next'
/** An example on the App Home; its value is the question. */
export const HOME_EXAMPLE = 'thinkaloud_home_example'
/** "Show work" on an admin's App Home. */
export const HOME_WORK = 'thinkaloud_home_work'
/** On an admin's App Home; its value names a server's tool (views/home-tools.ts). */
export const TAKE_TOOL = 'thinkaloud_take_tool'
export const ASK_EDITED = 'thinkaloud_ask_edited'
export const STOP = 'thinkaloud_stop'
/** On the card of `/ask forget`; their value is the team. */
export const FORGET_DELETE = 'thinkaloud_forget_delete'
export const FORGET_CANCEL = 'thinkaloud_forget_cancel'

/**
 * *Forget*, below a remembered text, and the pages of `/ask memory`; their values are `memoryRef`s
 * (views/remembered-content.ts).
 */
export const FORGET_REMEMBERED = 'thinkaloud_forget_remembered'
export const FORGET_USED = 'thinkaloud_forget_used'
export const MEMORY_PAGE = 'thinkaloud_memory_page'
export const MEMORY_PAGES = /^thinkaloud_memory_page/

/** On the list of a person's connections; their value is the account's name. */
export const CONNECT = 'thinkaloud_connect'
export const DISCONNECT = 'thinkaloud_disconnect'

/** The `callback_id`s of modals and shortcuts. */
export const SETTINGS_FORM = 'thinkaloud_settings'
export const ASK_ABOUT = 'thinkaloud_ask_about'
export const REMEMBER = 'thinkaloud_remember'

/** On the card of a tool's question; their value names the wait (`waitValue`). A choice appends its number. */
export const QUESTION_OPEN = 'thinkaloud_question_open'
export const QUESTION_CHOOSE = 'thinkaloud_question_choose_'
export const QUESTION_DECLINE = 'thinkaloud_question_decline'
export const QUESTION_PAGE = 'thinkaloud_question_page'
export const QUESTION_LINK = 'thinkaloud_question_link'
export const QUESTION_DONE = 'thinkaloud_question_done'
/** Opens a login in the browser. */
export const QUESTION_CONNECT = 'thinkaloud_question_connect'
/** Matches all of them. */
export const QUESTION_PRESSES = /^thinkaloud_question_/
/** The `callback_id` of the modal with a form's fields. */
export const QUESTION_FORM = 'thinkaloud_question_form'

/** On the card of a call that waits for approval; their value names the wait (`waitValue`). */
export const ALLOW_ONCE = 'thinkaloud_allow_once'
export const ALLOW_ALWAYS = 'thinkaloud_allow_always'
export const DENY = 'thinkaloud_deny'
export const SHOW_ARGUMENTS = 'thinkaloud_show_arguments'
export const ASK_APPROVERS = 'thinkaloud_ask_approvers'
/** The input for the reason, and the block around it. */
export const DENY_REASON = 'thinkaloud_deny_reason'

/** Buttons of schedules; their value names the schedule (`refText`). The regular expression matches all of them. */
export const SCHEDULE = {
  save: 'thinkaloud_schedule_save',
  try: 'thinkaloud_schedule_try',
  answer: 'thinkaloud_schedule_answer',
  cancel: 'thinkaloud_schedule_cancel',
  run: 'thinkaloud_schedule_run',
  pause: 'thinkaloud_schedule_pause',
  resume: 'thinkaloud_schedule_resume',
  change: 'thinkaloud_schedule_change',
  delete: 'thinkaloud_schedule_delete',
}
export const SCHEDULE_PRESSES = /^thinkaloud_schedule_/
/** The `callback_id` of the modal that changes a schedule. */
export const SCHEDULE_FORM = 'thinkaloud_change_schedule'
