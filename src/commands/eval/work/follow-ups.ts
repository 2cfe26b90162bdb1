/** Thirty follow-ups, each with what its standalone form must hold. */

export interface FollowUp {
  turns: { question: string; answer: string }[]
  message: string
  /** Each must be in the standalone question, in one of its forms (separated by `|`). */
  contains: readonly string[]
  excludes?: readonly string[]
  /** It is about the conversation itself, and has to keep its words. */
  isKept?: true
}

const JONAS = { question: 'Who is the manager of Jonas Vik?', answer: 'Priya Nair is the manager of Jonas Vik.' }
const SHIPMENT = {
  question: 'What is the state of shipment S-2077?',
  answer: 'Shipment S-2077 is waiting for customs.',
}
const PRICE = { question: 'What does an office chair cost?', answer: 'An office chair costs 215 euros.' }
const SUM = { question: 'What is 15 % of 3260?', answer: '15 % of 3260 is 489.' }
const TASK = { question: 'Who owns the task PAY-7?', answer: 'Ines Moreau owns PAY-7.' }
const SITE = { question: 'How many desks are at the site Mill?', answer: 'The site Mill has 85 desks.' }
const GERMAN = { question: 'Wie viele Urlaubstage habe ich?', answer: 'Du hast 27 Urlaubstage im Jahr.' }

type RewrittenRow = [turns: FollowUp['turns'], message: string, contains: string[], excludes?: string[]]

const REWRITTEN: RewrittenRow[] = [
  [[JONAS], 'and who is her manager?', ['priya nair', 'manager']],
  [[JONAS], 'And in which team is she?', ['priya nair', 'team']],
  [[JONAS], 'what about Lotte Braun?', ['lotte braun', 'manager']],
  [[JONAS], 'What is his phone number?', ['jonas vik', 'phone']],
  [[SHIPMENT], 'and S-2041?', ['s-2041']],
  [[SHIPMENT], 'How heavy is it?', ['s-2077', 'heavy|weigh']],
  [[SHIPMENT], 'When was it sent?', ['s-2077', 'sent']],
  [[PRICE], 'and a desk lamp?', ['desk lamp', 'cost|price']],
  [[PRICE], 'How many of them are in stock?', ['chair', 'stock']],
  [[PRICE], 'What do six of them cost?', ['six|6', 'chair']],
  [[PRICE], 'Who supplies it?', ['chair', 'suppl']],
  [[SUM], 'and half of that?', ['489', 'half']],
  [[SUM], 'and 20 %?', ['20', '3260']],
  [[SUM], 'add 100 to it', ['489', '100']],
  [[TASK], 'What is its priority?', ['pay-7', 'priority']],
  [[TASK], 'Where does she work?', ['ines moreau', 'work|where']],
  [[TASK, JONAS], 'and in which city does he work?', ['jonas vik', 'city']],
  [[SITE], 'and Orchard?', ['orchard', 'desk']],
  [[SITE], 'In which city is it?', ['mill', 'city']],
  [[SITE], 'How many floors does it have?', ['mill', 'floor']],
  [[GERMAN], 'Und wie viele davon darf ich ins nächste Jahr mitnehmen?', ['urlaub', 'jahr']],
  [[JONAS], 'What is the square root of 144?', ['144'], ['jonas', 'priya']],
  [[SITE, PRICE], 'Which day of the week is 2027-05-03?', ['2027-05-03'], ['chair', 'mill']],
]

const KEPT: [FollowUp['turns'], string][] = [
  [[JONAS, PRICE], 'What was my first question?'],
  [[PRICE, SUM], 'what did I ask before that?'],
  [[SHIPMENT], 'Repeat that.'],
  [[SITE], 'shorter, please'],
  [[PRICE], 'in German'],
  [[TASK], 'Summarise our conversation.'],
  [[GERMAN], 'Auf Englisch bitte'],
]

export const WORK_FOLLOW_UPS: readonly FollowUp[] = [
  ...REWRITTEN.map(([turns, message, contains, excludes = []]) => ({ turns, message, contains, excludes })),
  ...KEPT.map(([turns, message]) => ({ turns, message, contains: [message], isKept: true as const })),
]
