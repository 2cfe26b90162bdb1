/** Registers every Slack listener. Everything that asks the bot something becomes a Question in the queue. */
import { subtype, type App } from '@slack/bolt'
import {
  ALLOW_ALWAYS,
  ALLOW_ONCE,
  ASK_ABOUT,
  ASK_AGAIN,
  ASK_ALONE,
  ASK_APPROVERS,
  ASK_EDITED,
  ASK_HERE,
  CONNECT,
  DENY,
  DISCONNECT,
  FEEDBACK,
  FEEDBACK_COMMENT,
  FORGET_CANCEL,
  FORGET_DELETE,
  FORGET_REMEMBERED,
  FORGET_USED,
  HOME_EXAMPLE,
  HOME_WORK,
  KEEP,
  MEMORY_PAGES,
  OPEN_SETTINGS,
  PROPOSED_NO,
  PROPOSED_REMEMBER,
  QUESTION_FORM,
  QUESTION_PRESSES,
  SCHEDULE_FORM,
  SCHEDULE_PRESSES,
  REMEMBER,
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
import { homePublisher, type PublishHome } from '../intake/publish-home.ts'
import type { Services } from '../services.ts'
import { agentSessionStopped } from './agent-session-stopped.ts'
import { agentSessionTitleChanged } from './agent-session-title-changed.ts'
import { appContextChanged } from './app-context-changed.ts'
import { appHomeOpened } from './app-home-opened.ts'
import { appMention } from './app-mention.ts'
import { appUninstalled } from './app-uninstalled.ts'
import { askAboutShortcut } from './ask-about-shortcut.ts'
import { askAboutSubmission } from './ask-about-submission.ts'
import { askAgain } from './ask-again.ts'
import { askApprovers } from './ask-approvers.ts'
import { askAudience } from './ask-audience.ts'
import { askCommand } from './ask-command.ts'
import { askEdited } from './ask-edited-button.ts'
import { channelDeleted } from './channel-deleted.ts'
import { channelIdChanged } from './channel-id-changed.ts'
import { connectionButton } from './connections.ts'
import { decideCall } from './decide-call.ts'
import { feedback, feedbackForm } from './feedback.ts'
import { forgetButtons } from './forget-buttons.ts'
import { forgetButton } from './forget-remembered.ts'
import { homeExample } from './home-example.ts'
import { keepButton } from './keep-button.ts'
import { messageChanged } from './message-changed.ts'
import { messageDeleted } from './message-deleted.ts'
import { message } from './message.ts'
import { proposalButton } from './proposal-buttons.ts'
import { reactionAdded } from './reaction-added.ts'
import { scheduleButton } from './schedule-buttons.ts'
import { scheduleForm } from './schedule-form.ts'
import { rememberShortcut } from './remember-shortcut.ts'
import { settingsSubmission } from './settings-submission.ts'
import { shareButton } from './share-button.ts'
import { showArguments } from './show-arguments.ts'
import { forgetUsed, showWork, showWorkFromHome, turnWorkPage } from './show-work.ts'
import { stopButton } from './stop-button.ts'
import { takeTool } from './turn-on-tool.ts'
import { teamAccessGranted, teamAccessRevoked } from './team-access.ts'
import { tokensRevoked } from './tokens-revoked.ts'
import { toolQuestion, toolQuestionForm } from './tool-question.ts'
import { userChange } from './user-change.ts'

export function registerListeners(app: App, services: Services): void {
  const publishHome = homePublisher(services)
  registerEvents(app, services, publishHome)
  registerInteractions(app, services, publishHome)
}

function registerEvents(app: App, services: Services, publishHome: PublishHome): void {
  app.event('app_mention', appMention(services))
  app.message(message(services))
  app.message(subtype('message_changed'), messageChanged(services))
  app.message(subtype('message_deleted'), messageDeleted(services))
  app.event('reaction_added', reactionAdded(services))
  app.event('app_home_opened', appHomeOpened(services, publishHome))
  app.event('app_context_changed', appContextChanged(services))
  app.event('agent_session_stopped', agentSessionStopped(services))
  app.event('agent_session_title_changed', agentSessionTitleChanged(services))
  app.event('app_uninstalled', appUninstalled(services))
  app.event('tokens_revoked', tokensRevoked(services))
  app.event('channel_deleted', channelDeleted(services))
  app.event('group_deleted', channelDeleted(services))
  app.event('channel_id_changed', channelIdChanged(services))
  app.event('team_access_granted', teamAccessGranted(services))
  app.event('team_access_revoked', teamAccessRevoked(services))
  app.event('user_change', userChange(services))
}

function registerInteractions(app: App, services: Services, publishHome: PublishHome): void {
  app.command(COMMAND, askCommand(services))
  app.shortcut({ callback_id: ASK_ABOUT, type: 'message_action' }, askAboutShortcut(services))
  app.shortcut({ callback_id: REMEMBER, type: 'message_action' }, rememberShortcut(services))
  app.view(ASK_ABOUT, askAboutSubmission(services))
  app.view(SETTINGS, settingsSubmission(services))
  app.action(STOP, stopButton(services))
  for (const id of [ALLOW_ONCE, ALLOW_ALWAYS, DENY]) app.action(id, decideCall(services))
  app.action(SHOW_ARGUMENTS, showArguments(services))
  app.action(ASK_APPROVERS, askApprovers(services))
  app.action(QUESTION_PRESSES, toolQuestion(services))
  app.view(QUESTION_FORM, toolQuestionForm(services))
  app.action(SHOW_WORK, showWork(services))
  app.action(HOME_WORK, showWorkFromHome(services))
  for (const id of [WORK_PREVIOUS, WORK_NEXT]) app.action(id, turnWorkPage(services))
  for (const id of [FORGET_REMEMBERED, MEMORY_PAGES]) app.action(id, forgetButton(services))
  app.action(FORGET_USED, forgetUsed(services))
  app.action(FEEDBACK, feedback(services))
  app.view(FEEDBACK_COMMENT, feedbackForm(services))
  app.action(ASK_AGAIN, askAgain(services))
  app.action(ASK_EDITED, askEdited(services))
  for (const id of [ASK_ALONE, ASK_HERE]) app.action(id, askAudience(services))
  for (const id of [PROPOSED_REMEMBER, PROPOSED_NO, OPEN_SETTINGS]) app.action(id, proposalButton(services))
  app.action(SHARE, shareButton(services))
  app.action(KEEP, keepButton(services))
  for (const id of [FORGET_DELETE, FORGET_CANCEL]) app.action(id, forgetButtons(services))
  app.action(HOME_EXAMPLE, homeExample(services))
  app.action(SCHEDULE_PRESSES, scheduleButton(services, publishHome))
  app.view(SCHEDULE_FORM, scheduleForm(services))
  app.action(TAKE_TOOL, takeTool(services, publishHome))
  for (const id of [CONNECT, DISCONNECT]) app.action(id, connectionButton(services, publishHome))
}
