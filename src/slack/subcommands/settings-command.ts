import { toolTitle } from '../../agent/tool-title.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { Question } from '../../stores/runs/types.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { SETTINGS_WORDS } from '../format/messages.ts'
import { settingsView, type SettingsForm } from '../views/settings-view.ts'
import { maySet } from '../intake/may-set.ts'
import { openModal } from '../presses/button-press.ts'
import { signMetadata } from '../presses/signed-metadata.ts'
import type { Services, WorkspaceServices } from '../services.ts'

/**
 * Handles `/ask settings`: opens the settings modal within the three seconds that Slack allows.
 * @returns why not, for the asker alone
 */
export async function openSettings(
  { command, trigger }: { command: Question; trigger: string },
  { installation, services }: WorkspaceServices,
): Promise<Content | undefined> {
  const { team, channel, user, responseUrl } = command
  const who = await maySet(command, await services.settingsFor(command), { installation, isLater: false })
  if (who.denial !== undefined) return noteContent(SETTINGS_WORDS[who.denial])
  const metadata = signMetadata(JSON.stringify({ team, channel, responseUrl }), { user, installation })
  const view = settingsView({ ...(await formOf(command, who, services)), metadata })
  await openModal(installation, trigger, view)
  return undefined
}

async function formOf(
  { team, channel }: Question,
  { mayChangeForget }: { mayChangeForget: boolean },
  { channelSettings, operator, agent: { choices } }: Services,
): Promise<Omit<SettingsForm, 'metadata'>> {
  const place = { team, channel }
  const [set, defaults] = await Promise.all([channelSettings.load(place), operator.settingsFor(place)])
  return {
    isDirect: channel.startsWith('D'),
    set,
    defaults: namesIn(defaults),
    titles: new Map(defaults.tools.map((tool) => [tool.name, titleWithServer(tool)])),
    choices: { ...choices, models: [...new Set([...choices.models, ...choices.listed.filter(choices.isModel)])] },
    mayChangeForget,
  }
}

/** Two servers may give their tools one title. */
function titleWithServer(tool: Tool): string {
  return tool.server === undefined ? toolTitle(tool) : `${toolTitle(tool)} (${tool.server})`
}

function namesIn({ model, dialect, tools, ...defaults }: Settings): SettingsForm['defaults'] {
  const { steps, followUps, whoMayStop, whoMayForget } = defaults
  const toolNames = tools.flatMap(({ name }) => (name === 'read_skill' ? [] : [name]))
  const named = { model: model.name, dialect: dialect.name, tools: toolNames }
  return { steps, followUps, whoMayStop, whoMayForget, ...named }
}
