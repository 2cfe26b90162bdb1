import type {
  BlockAction,
  ButtonAction,
  MessageShortcut,
  Middleware,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackEventMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt'

/** Bolt's listener types for an event, a message, a command, a shortcut, a button press and a submitted form. */
export type OnEvent<Name extends string> = Middleware<SlackEventMiddlewareArgs<Name>>
export type OnMessage = Middleware<SlackEventMiddlewareArgs<'message'>>
export type OnCommand = Middleware<SlackCommandMiddlewareArgs>
export type OnShortcut = Middleware<SlackShortcutMiddlewareArgs<MessageShortcut>>
export type OnButton = Middleware<SlackActionMiddlewareArgs<BlockAction<ButtonAction>>>
export type OnForm = Middleware<SlackViewMiddlewareArgs<ViewSubmitAction>>
