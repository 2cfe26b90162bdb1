/** The `action_id`s of the bot's buttons. The `value` of each is the id of the question that it belongs to. */
export const ASK_EDITED = 'thinkaloud_ask_edited'
export const STOP = 'thinkaloud_stop'
