import type { App } from '@slack/bolt'
import { listenToAppContextChanges } from './app-context-changed.ts'
import { listenToAppHomeOpened } from './app-home-opened.ts'
import { listenToAgentSessionStopped } from './agent-session-stopped.ts'
import { listenToTitleChanges } from './agent-session-title-changed.ts'
import { listenToAppMentions } from './app-mention.ts'
import { listenToAppUninstalled } from './app-uninstalled.ts'
import { listenToAskAboutShortcut } from './ask-about-shortcut.ts'
import { listenToAskAboutSubmission } from './ask-about-submission.ts'
import { listenToAskAgain } from './ask-again.ts'
import { listenToAskCommand } from './ask-command.ts'
import { listenToDecisions } from './decide-call.ts'
import { listenToFeedback } from './feedback.ts'
import { listenToHomeExamples } from './home-example.ts'
import { listenToAskEdited } from './ask-edited.ts'
import { listenToMessageChanges } from './message-changed.ts'
import { listenToMessageDeletions } from './message-deleted.ts'
import { listenToMessages } from './message.ts'
import { listenToKeepButton } from './keep-button.ts'
import { listenToSettingsSubmission } from './settings-submission.ts'
import { listenToShareButton } from './share-button.ts'
import { listenToShowArguments } from './show-arguments.ts'
import { listenToShowWork } from './show-work.ts'
import { homePublisher } from '../intake/publish-home.ts'
import { listenToReactions } from './reaction-added.ts'
import { listenToStopButton } from './stop-button.ts'
import { listenToTakeTool } from './take-tool.ts'
import { listenToToolQuestions } from './tool-question.ts'
import type { ListenerOptions } from '../intake/to-question.ts'
import { listenToTokensRevoked } from './tokens-revoked.ts'

const LISTENERS = [
  listenToAppMentions,
  listenToMessages,
  listenToMessageChanges,
  listenToMessageDeletions,
  listenToAskCommand,
  listenToSettingsSubmission,
  listenToAskAboutShortcut,
  listenToAskAboutSubmission,
  listenToShareButton,
  listenToKeepButton,
  listenToAskEdited,
  listenToAgentSessionStopped,
  listenToReactions,
  listenToStopButton,
  listenToDecisions,
  listenToShowArguments,
  listenToAppUninstalled,
  listenToTokensRevoked,
  listenToShowWork,
  listenToAskAgain,
  listenToFeedback,
  listenToAppHomeOpened,
  listenToHomeExamples,
  listenToTakeTool,
  listenToAppContextChanges,
  listenToTitleChanges,
  listenToToolQuestions,
]

/** Everything that the bot listens to. Whatever asks it something becomes a Question and goes into the queue. */
export function registerListeners(app: App, options: Omit<ListenerOptions, 'publishHome'>): void {
  const publishHome = homePublisher(options)
  for (const listen of LISTENERS) listen(app, { ...options, publishHome })
}
