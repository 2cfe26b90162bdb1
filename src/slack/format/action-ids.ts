/** The `action_id`s of the bot's buttons. The `value` of each is the id of the question that it belongs to. */
export const ASK_EDITED = 'thinkaloud_ask_edited'
export const SHARE = 'thinkaloud_share'
export const KEEP = 'thinkaloud_keep'

/** The `callback_id`s of modals and shortcuts. */
export const SETTINGS = 'thinkaloud_settings'
export const ASK_ABOUT = 'thinkaloud_ask_about'
