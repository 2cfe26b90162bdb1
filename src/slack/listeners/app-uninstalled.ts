import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace } from '../intake/forget-workspace.ts'
import type { ListenerOptions } from '../intake/to-question.ts'

/** `app_uninstalled`: deletes everything stored for the workspace that removed the app. */
export function appUninstalled(options: ListenerOptions): OnEvent<'app_uninstalled'> {
  return ({ context }) => forgetWorkspace('app_uninstalled', context, options)
}
