/** The small tools of the work set: look-ups in a company that does not exist. */
import { z } from 'zod'
import type { Tool } from '../../../agent/contracts/tool.ts'
import { zodInput } from '../../../agent/tool-input.ts'
import { calculator } from '../../../../tools/calculator.ts'
import { ARTICLES, COLLEAGUES, RULES, SHIPMENTS, SITES, TASKS } from './work-data.ts'

type CompanyRecords = Record<string, Record<string, string | number>>

/** The tools that the questions need. */
export function workTools(): Tool[] {
  return [
    calculator() as Tool,
    lookUp('colleague', {
      about: 'a colleague: team, site, manager, first day, phone',
      key: 'name',
      records: COLLEAGUES,
    }),
    lookUp('task', { about: 'a task: title, owner, state, priority, day it was opened', key: 'key', records: TASKS }),
    lookUp('shipment', {
      about: 'a shipment: customer, weight, state, day it was sent',
      key: 'number',
      records: SHIPMENTS,
    }),
    lookUp('article', { about: 'an article: price, stock, supplier', key: 'name', records: ARTICLES }),
    lookUp('site', {
      about: 'a site of the company: city, floors, desks, front desk phone',
      key: 'name',
      records: SITES,
    }),
    rules(),
    weekday(),
  ]
}

function lookUp(name: string, { about, key, records }: { about: string; key: string; records: CompanyRecords }): Tool {
  const run = async (input: unknown) => {
    const asked = String((input as Record<string, unknown>)[key])
    const found = Object.entries(records).find(([id]) => plain(id) === plain(asked))
    if (!found) return `Nothing found for "${asked.slice(0, 100)}".`
    return `${found[0]}: ${Object.entries(found[1])
      .map(([field, value]) => `${field} ${value}`)
      .join(', ')}`
  }
  const input = zodInput(z.object({ [key]: z.string().describe(`the ${key}`) }))
  return { name, description: `Looks up ${about}. The input is its ${key}.`, ...input, effects: 'read', run }
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/s$/, '')
}

function rules(): Tool {
  const tool: Tool<{ words: string }> = {
    name: 'house_rules',
    description:
      'Searches the house rules of the company: travel, holidays, expenses, guests, equipment. The input is one or two words.',
    ...zodInput(z.object({ words: z.string().describe('one or two words') })),
    effects: 'read',
    run: async ({ words }) => {
      const terms = words.toLowerCase().match(/\p{L}{3,}/gu) ?? []
      const found = RULES.filter((rule) => terms.some((term) => rule.toLowerCase().includes(term.replace(/s$/, ''))))
      return found.length === 0 || found.length === RULES.length
        ? `No rule holds "${words.slice(0, 100)}".`
        : found.slice(0, 3).join('\n')
    },
  }
  return tool as Tool
}

function weekday(): Tool {
  const tool: Tool<{ date: string }> = {
    name: 'day_of_week',
    description: 'Gives the day of the week of a date. The input is the date as YYYY-MM-DD.',
    ...zodInput(z.object({ date: z.string().describe('the date as YYYY-MM-DD') })),
    effects: 'read',
    run: async ({ date }) => {
      const [day] = /\d{4}-\d{2}-\d{2}/.exec(date) ?? []
      const time = new Date(`${day}T12:00:00Z`)
      if (!day || Number.isNaN(time.getTime())) return `"${date.slice(0, 100)}" is no date as YYYY-MM-DD.`
      return `${day} is a ${time.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })}.`
    },
  }
  return tool as Tool
}
