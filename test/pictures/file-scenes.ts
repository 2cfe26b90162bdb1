/** The picture of a question with a file: the page that is read, and the answer with its source. */
import type { Page } from 'playwright-core'
import { pdfOf } from '../harness/file-corpus.ts'
import { act, finish, playModel } from '../harness/played-model.ts'
import { ask, ended, thread, type Scene } from './page-scene.ts'

const PAGES = 300
const TORQUE = 'Tighten the wheel bolts crosswise to 110 Nm, and again after 50 km.'

/** Returns a manual that is too long for any prompt. Page 212 has the answer. */
function manual(): Uint8Array {
  const page = (n: number) => [
    `Page ${n}`,
    ...(n === 212 ? ['Wheels', TORQUE] : ['Maintenance', 'Look at the seals once a year and replace worn ones.']),
    ...Array.from({ length: 20 }, (_, i) => `Step ${i + 1}: see the drawing on the page beside this one.`),
  ]
  return pdfOf(Array.from({ length: PAGES }, (_, i) => page(i + 1)))
}

async function attach(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const file = { name, mimeType: 'application/pdf', buffer: Buffer.from(bytes) }
  await page.locator('.main input[type=file]').setInputFiles(file)
  await page.getByText(name).waitFor()
}

export const FILE_SCENES: Record<string, Scene> = {
  'file-question': {
    // The demo model does not read files.
    async prepare(t) {
      const model = await playModel(t, [
        act('The manual is long. I search it for the bolts.', 'search_file', '{"query": "tighten wheel bolts"}'),
        finish('Tighten them crosswise to **110 Nm**, and again after 50 km.'),
      ])
      return { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-played', OPENAI_MODEL: 'played' }
    },
    async play(page) {
      await attach(page, 'manual.pdf', manual())
      await ask(page, 'How tight do the wheel bolts have to be?')
      await ended(page)
      return thread(page)
    },
  },
}
