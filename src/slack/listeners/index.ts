/** Registers every Slack listener. Anything that asks the bot something becomes a Question in the queue. */
import { subtype, type App } from '@slack/bolt'
import {
  ALLOW_ALWAYS,
  ALLOW_ONCE,
  ASK_ABOUT,
  ASK_AGAIN,
  ASK_EDITED,
  DENY,
  FEEDBACK,
  FEEDBACK_COMMENT,
  HOME_EXAMPLE,
  KEEP,
  QUESTION_FORM,
  QUESTION_PRESSES,
  SETTINGS,
  SHARE,
  SHOW_ARGUMENTS,
  SHOW_WORK,
  STOP,
  TAKE_TOOL,
  WORK_NEXT,
  WORK_PREVIOUS,
} from '../format/action-ids.ts'
import { COMMAND } from '../format/messages.ts'
import { homePublisher } from '../intake/publish-home.ts'
import type { ListenerOptions } from '../intake/to-question.ts'
import { agentSessionStopped } from './agent-session-stopped.ts'
import { agentSessionTitleChanged } from './agent-session-title-changed.ts'
import { appContextChanged } from './app-context-changed.ts'
import { appHomeOpened } from './app-home-opened.ts'
import { appMention } from './app-mention.ts'
import { appUninstalled } from './app-uninstalled.ts'
import { askAboutShortcut } from './ask-about-shortcut.ts'
import { askAboutSubmission } from './ask-about-submission.ts'
import { askAgain } from './ask-again.ts'
import { askCommand } from './ask-command.ts'
import { askEdited } from './ask-edited.ts'
import { decideCall } from './decide-call.ts'
import { feedback, feedbackForm } from './feedback.ts'
import { homeExample } from './home-example.ts'
import { keepButton } from './keep-button.ts'
import { messageChanged } from './message-changed.ts'
import { messageDeleted } from './message-deleted.ts'
import { message } from './message.ts'
import { reactionAdded } from './reaction-added.ts'
import { settingsSubmission } from './settings-submission.ts'
import { shareButton } from './share-button.ts'
import { showArguments } from './show-arguments.ts'
import { showWork, turnWorkPage } from './show-work.ts'
import { stopButton } from './stop-button.ts'
import { takeTool } from './take-tool.ts'
import { tokensRevoked } from './tokens-revoked.ts'
import { toolQuestion, toolQuestionForm } from './tool-question.ts'

export function registerListeners(app: App, given: Omit<ListenerOptions, 'publishHome'>): void {
  const options = { ...given, publishHome: homePublisher(given) }
  registerEvents(app, options)
  registerInteractions(app, options)
}

function registerEvents(app: App, options: ListenerOptions): void {
  app.event('app_mention', appMention(options))
  app.message(message(options))
  app.message(subtype('message_changed'), messageChanged(options))
  app.message(subtype('message_deleted'), messageDeleted(options))
  app.event('reaction_added', reactionAdded(options))
  app.event('app_home_opened', appHomeOpened(options))
  app.event('app_context_changed', appContextChanged(options))
  app.event('agent_session_stopped', agentSessionStopped(options))
  app.event('agent_session_title_changed', agentSessionTitleChanged(options))
  app.event('app_uninstalled', appUninstalled(options))
  app.event('tokens_revoked', tokensRevoked(options))
}

function registerInteractions(app: App, options: ListenerOptions): void {
  app.command(COMMAND, askCommand(options))
  app.shortcut({ callback_id: ASK_ABOUT, type: 'message_action' }, askAboutShortcut(options))
  app.view(ASK_ABOUT, askAboutSubmission(options))
  app.view(SETTINGS, settingsSubmission(options))
  app.action(STOP, stopButton(options))
  for (const id of [ALLOW_ONCE, ALLOW_ALWAYS, DENY]) app.action(id, decideCall(options))
  app.action(SHOW_ARGUMENTS, showArguments(options))
  app.action(QUESTION_PRESSES, toolQuestion(options))
  app.view(QUESTION_FORM, toolQuestionForm(options))
  app.action(SHOW_WORK, showWork(options))
  for (const id of [WORK_PREVIOUS, WORK_NEXT]) app.action(id, turnWorkPage(options))
  app.action(FEEDBACK, feedback(options))
  app.view(FEEDBACK_COMMENT, feedbackForm(options))
  app.action(ASK_AGAIN, askAgain(options))
  app.action(ASK_EDITED, askEdited(options))
  app.action(SHARE, shareButton(options))
  app.action(KEEP, keepButton(options))
  app.action(HOME_EXAMPLE, homeExample(options))
  app.action(TAKE_TOOL, takeTool(options))
}
