import type { App } from '@slack/bolt'
import { forgetWorkspace } from '../intake/forget-workspace.ts'
import type { ListenerOptions } from '../intake/to-question.ts'

/** `app_uninstalled`: the app is removed from a workspace, and everything stored for it is deleted. */
export function listenToAppUninstalled(app: App, options: ListenerOptions): void {
  app.event('app_uninstalled', ({ context }) => forgetWorkspace('app_uninstalled', context, options))
}
