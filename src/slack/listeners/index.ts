/** Registers every Slack listener. Everything that asks the bot something becomes a Question in the queue. */
import type { App } from '@slack/bolt'
import { homePublisher } from '../home/publish-home.ts'
import type { Services } from '../services.ts'
import * as answers from './answers.ts'
import * as approvals from './approvals.ts'
import * as ask from './ask.ts'
import * as askAgain from './ask-again.ts'
import * as home from './home.ts'
import * as messages from './messages.ts'
import * as proposals from './proposals.ts'
import * as reactions from './reactions.ts'
import * as remembered from './remembered.ts'
import * as schedules from './schedules.ts'
import * as sessions from './sessions.ts'
import * as settings from './settings.ts'
import * as showWork from './show-work.ts'
import * as stop from './stop.ts'
import * as toolQuestion from './tool-question.ts'
import * as workspace from './workspace.ts'
import type { SlackListener } from './listener.ts'

/** Each file exports its listeners, and nothing else. */
const FILES: Record<string, SlackListener>[] = [
  answers,
  approvals,
  ask,
  askAgain,
  home,
  messages,
  proposals,
  reactions,
  remembered,
  schedules,
  sessions,
  settings,
  showWork,
  stop,
  toolQuestion,
  workspace,
]

export function registerListeners(app: App, services: Services): void {
  const publishHome = homePublisher(services)
  for (const listen of FILES.flatMap((file) => Object.values(file))) listen(app, services, publishHome)
}
