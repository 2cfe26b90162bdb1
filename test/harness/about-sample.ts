import { loadPrompts } from '../../src/base/prompts.ts'
import { abilities } from '../../src/slack/answering/about-you.ts'

/** The longest usual part about the bot, as the model gets it. */
export function aboutSample(asker: string, time: string) {
  const prompts = loadPrompts()
  const about = prompts['about-you']({
    name: 'Thinkaloud',
    abilities: abilities(true, true),
  })
  const asked = prompts['asked-in']({
    place:
      'the private channel "#customer-success-emea", shared with another company, where only the asker sees your answer',
    asker: `"${asker}", title "Head of Customer Success EMEA"`,
    time: `${time} (America/Argentina/Buenos_Aires)`,
  })
  return { about, asked }
}
