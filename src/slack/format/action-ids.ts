/** What Slack names in a delivery when somebody presses something of ours (`action_id`). A button's value is the question's id. */

export const STOP = 'thinkaloud_stop'
