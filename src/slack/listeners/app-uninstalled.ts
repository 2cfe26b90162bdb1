import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace } from '../intake/forget-workspace.ts'
import type { Services } from '../services.ts'

/** `app_uninstalled`: the app is removed from a workspace, and everything stored for it is deleted. */
export function appUninstalled(services: Services): OnEvent<'app_uninstalled'> {
  return ({ body, context }) =>
    forgetWorkspace({ name: 'app_uninstalled', context, eventTime: body.event_time }, services)
}
