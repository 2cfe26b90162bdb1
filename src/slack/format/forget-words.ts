/** The bot's sentences about `/ask forget`, as mrkdwn. */

/** The question of `/ask forget` before it deletes anything. */
export const FORGET_WHAT = {
  person:
    '*Delete what I remember about you?* This deletes our direct messages, your questions elsewhere in this workspace and my answers to them, ' +
    'what I have read of your messages in threads, what you asked me to remember, and your feedback. The messages in Slack stay. This cannot be undone.',
  channel:
    '*Delete what I remember about this channel?* This deletes everyone’s questions in this channel, my answers, and all remembered things, files and feedback. ' +
    'The messages in Slack stay. This cannot be undone.',
}

export const FORGET_CANCELLED = 'Cancelled: nothing was deleted.'

/** The end of `/ask forget`. */
export const FORGET = {
  person:
    'Done: I have forgotten our direct messages, your questions elsewhere in this workspace and my answers to them, what I had read of your messages in threads, ' +
    'what you asked me to remember, and your feedback. Other people’s questions stay, and so do the messages in Slack. If somebody asks me in a thread, I will read its messages.',
  channel:
    'Done: I have forgotten what was asked, answered and remembered in this channel. The messages in Slack stay.',
  notAdmin:
    'Only workspace admins can delete what I remember about a channel. Ask one of them to do it, or to allow everyone with `/ask settings`.',
  notMember:
    'Only full members of this workspace can delete what I remember about a channel. The person who runs me can change that (ALLOW_EXTERNAL).',
  untold:
    'Slack did not tell me who you are, so I deleted nothing. Please try again in a minute. If it keeps happening, tell the person who runs me.',
  failed:
    'I could not delete it just now. Please try again in a minute. If it keeps happening, tell the person who runs me.',
}
