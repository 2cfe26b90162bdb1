/**
 * `npm run bench -- pages FOLDER`: how well the reader finds the main text of the 181 labelled pages in a clone of
 * github.com/scrapinghub/article-extraction-benchmark, at the reader's limits. F1 is that of its `evaluate.py`: over
 * runs of four words, averaged over pages. Addresses of links count as no words.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fileParsers } from '../../src/files/parse-file.ts'

const LEAST_F1 = 0.95
const WORST = 10
const RUN = 4
const ADDRESSES = / \([a-z]+:[^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g

type Labels = Record<string, { articleBody: string; url: string }>
type Score = Record<'precision' | 'recall' | 'ms', number> & { url: string; fault: string }

export async function run([folder]: string[]): Promise<void> {
  if (folder === undefined) throw new Error('Usage: npm run bench -- pages FOLDER, a clone of the benchmark.')
  const labels = JSON.parse(await readFile(join(folder, 'ground-truth.json'), 'utf8')) as Labels
  const scores: Score[] = []
  for (const [id, { articleBody, url }] of Object.entries(labels)) {
    const bytes = new Uint8Array(gunzipSync(await readFile(join(folder, 'html', `${id}.html.gz`))))
    scores.push({ url, ...(await scoreOf(bytes, { articleBody, url })) })
  }
  const [precision, recall] = [mean(scores, 'precision'), mean(scores, 'recall')]
  const f1 = harmonic({ precision, recall })
  const slowest = Math.max(...scores.map(({ ms }) => ms))
  console.log(
    `${scores.length} pages: F1 ${f1.toFixed(4)}, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`,
  )
  console.log(`${Math.round(mean(scores, 'ms'))} ms a page, ${Math.round(slowest)} ms at most; the ${WORST} worst:`)
  for (const score of scores.sort((a, b) => harmonic(a) - harmonic(b)).slice(0, WORST))
    console.log(`  ${harmonic(score).toFixed(2)} ${score.url.slice(0, 90)} ${score.fault}`)
  if (f1 < LEAST_F1) throw new Error(`F1 is below ${LEAST_F1}.`)
}

async function scoreOf(bytes: Uint8Array, label: Labels[string]): Promise<Omit<Score, 'url'>> {
  const from = performance.now()
  const page = { address: label.url, isWhole: false }
  const { file, fault = '' } = await fileParsers
    .forQuestion('bench', Date.now)
    .parse({ name: 'page.html', bytes, page })
  const ms = performance.now() - from
  const read = file?.sections.map(({ text }) => text).join('\n') ?? ''
  const [found, expected] = [runsIn(read.replaceAll(ADDRESSES, '')), runsIn(label.articleBody)]
  let shared = 0
  for (const [words, count] of found) shared += Math.min(count, expected.get(words) ?? 0)
  return { precision: shared / sizeOf(found) || 0, recall: shared / sizeOf(expected) || 0, ms, fault }
}

/** Returns how often each run of four words is in a text. */
function runsIn(text: string): Map<string, number> {
  const words = text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  const runs = new Map<string, number>()
  for (let at = 0; at < Math.max(1, words.length - RUN + 1); at += 1) {
    const one = words.slice(at, at + RUN).join(' ')
    if (one !== '') runs.set(one, (runs.get(one) ?? 0) + 1)
  }
  return runs
}

const sizeOf = (runs: Map<string, number>) => [...runs.values()].reduce((sum, count) => sum + count, 0)

function mean(scores: readonly Score[], name: 'precision' | 'recall' | 'ms'): number {
  return scores.reduce((sum, score) => sum + score[name], 0) / scores.length
}

function harmonic({ precision, recall }: Pick<Score, 'precision' | 'recall'>): number {
  return (2 * precision * recall) / (precision + recall || 1)
}
