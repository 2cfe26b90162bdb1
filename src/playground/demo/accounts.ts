/** The examples of the seeds that need tools of their own: GitHub followers and invoices. They apply only where the prompt lists them. */
import { answered, type Move, type Plan, type Rule } from './plan.ts'
import type { Asked } from './read-prompt.ts'
import { calculate, isNumber } from './sums.ts'

/** "What is the result of dividing tj's GitHub followers by 2?" */
export const followers: Rule = (asked) => {
  if (!asked.tools.includes('github_user') || !/followers/i.test(asked.question) || !/github/i.test(asked.question))
    return undefined
  const login = /([\w-]+)['’]s? github followers|followers (?:does|of|has) ([\w-]+)/i.exec(asked.question)
  const name = login?.[1] ?? login?.[2]
  return name ? countFollowers(asked, name) : undefined
}

/** The tool answers in words or in JSON; the number next to "followers" is read from either. */
function* countFollowers(asked: Asked, login: string): Plan {
  const seen = yield { thought: `I need the number of followers of ${login}.`, tool: 'github_user', input: login }
  const count = /followers\D{0,12}(\d[\d,]*)|(\d[\d,]*) followers/i.exec(seen)
  const followers = (count?.[1] ?? count?.[2])?.replaceAll(',', '')
  if (!followers) return answered(`I could not read the followers of ${login}: ${seen}`, 'I cannot find out more.')
  const divisor = /(?:by|divided by|\/)\s*(\d+(?:\.\d+)?)/i.exec(asked.question)?.[1]
  const half = /\bhalf\b/i.test(asked.question) ? '2' : undefined
  const by = divisor ?? half
  if (!by || !asked.tools.includes('calculator')) return answered(`${login} has **${followers}** followers on GitHub.`)
  const result = yield* calculate(`${followers}/${by}`, `${login} has ${followers} followers. Now divided by ${by}.`)
  return answered(`${login} has ${followers} followers on GitHub; divided by ${by} that is **${result}**.`)
}

/** "How much is the difference between the total of company C, F and the total of company A, E ?" */
export const invoices: Rule = (asked) => {
  if (!asked.tools.includes('GetInvoice') || !/\bcompany\b/i.test(asked.question)) return undefined
  const between = /difference between (.+?) and (?:the |company )(.+)$/i.exec(asked.question)
  const groups = (between ? [between[1], between[2]] : [asked.question]).map((text) => companiesIn(text ?? ''))
  const isNamed = groups.every((group) => group.length > 0)
  return isNamed && canReckon(asked, groups) ? reckonInvoices(asked, groups) : undefined
}

/** Whether each sum that is needed has a tool: its own, or the calculator. */
function canReckon({ tools }: Asked, groups: string[][]): boolean {
  const needed = [...(groups.some(({ length }) => length > 1) ? ['Total'] : []), ...(groups[1] ? ['Diff'] : [])]
  return tools.includes('calculator') || needed.every((tool) => tools.includes(tool))
}

/** Companies are called by one capital letter, as in the seed. */
function companiesIn(text: string): string[] {
  return text.match(/\b[A-Z]\b/g) ?? []
}

/** One total, or the difference of two. All amounts and sums are observations; nothing is reckoned here. */
function* reckonInvoices(asked: Asked, groups: string[][]): Plan {
  const totals: string[] = []
  for (const group of groups) totals.push(yield* totalOf(asked, group))
  const [first = '', second] = totals
  const last =
    second === undefined ? first : yield* combine(asked, { tool: 'Diff', sign: '-', amounts: [first, second] })
  return answered(isNumber(last) ? `**${last}**` : `I could not reckon it: ${last}`)
}

/** Fetches the invoices one by one; a single company needs no adding up. */
function* totalOf(asked: Asked, companies: string[]): Generator<Move, string, string> {
  const amounts: string[] = []
  for (const company of companies)
    amounts.push(
      yield { thought: `I need the invoice amount of company ${company}.`, tool: 'GetInvoice', input: company },
    )
  return amounts.length === 1 ? (amounts[0] ?? '') : yield* combine(asked, { tool: 'Total', sign: '+', amounts })
}

/** By the tool for it where it is listed, otherwise by the calculator. */
function* combine(
  asked: Asked,
  sum: { tool: string; sign: string; amounts: string[] },
): Generator<Move, string, string> {
  const thought = `Now the ${sum.tool === 'Diff' ? 'difference' : 'total'} of ${sum.amounts.join(' and ')}.`
  if (asked.tools.includes(sum.tool)) return yield { thought, tool: sum.tool, input: sum.amounts.join(' ') }
  return yield* calculate(sum.amounts.join(sum.sign), thought)
}
