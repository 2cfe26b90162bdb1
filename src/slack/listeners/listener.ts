/** What a file of this folder exports: what it listens to, and the handler. */
import {
  subtype,
  type App,
  type BlockAction,
  type ButtonAction,
  type MessageShortcut,
  type Middleware,
  type SlackActionMiddlewareArgs,
  type SlackCommandMiddlewareArgs,
  type SlackEventMiddlewareArgs,
  type SlackShortcutMiddlewareArgs,
  type SlackViewMiddlewareArgs,
  type ViewSubmitAction,
} from '@slack/bolt'
import { COMMAND } from '../format/messages.ts'
import type { PublishHome } from '../home/publish-home.ts'
import type { Services } from '../services.ts'

/** Registers a handler with the app. */
export type SlackListener = (app: App, services: Services, publishHome: PublishHome) => void

/** Makes the handler, once for each app of SLACK_APPS. */
type Make<Args> = (services: Services, publishHome: PublishHome) => Middleware<Args>

export function onEvent<Name extends string>(
  names: Name | Name[],
  make: Make<SlackEventMiddlewareArgs<Name>>,
): SlackListener {
  return (app, ...given) => [names].flat().forEach((name) => app.event(name as Name, make(...given)))
}

/** Messages of one subtype, or all that people write. */
export function onMessage(kind: string | undefined, make: Make<SlackEventMiddlewareArgs<'message'>>): SlackListener {
  return (app, ...given) =>
    kind === undefined ? app.message(make(...given)) : app.message(subtype(kind), make(...given))
}

/** `/ask`. */
export function onCommand(make: Make<SlackCommandMiddlewareArgs>): SlackListener {
  return (app, ...given) => app.command(COMMAND, make(...given))
}

/** An entry in a message's menu. */
export function onShortcut(id: string, make: Make<SlackShortcutMiddlewareArgs<MessageShortcut>>): SlackListener {
  return (app, ...given) => app.shortcut({ callback_id: id, type: 'message_action' }, make(...given))
}

/** Buttons, by their ids. */
export function onButton(
  ids: string | RegExp | (string | RegExp)[],
  make: Make<SlackActionMiddlewareArgs<BlockAction<ButtonAction>>>,
): SlackListener {
  return (app, ...given) => [ids].flat().forEach((id) => app.action(id, make(...given)))
}

/** A submitted form. */
export function onForm(id: string, make: Make<SlackViewMiddlewareArgs<ViewSubmitAction>>): SlackListener {
  return (app, ...given) => app.view(id, make(...given))
}
