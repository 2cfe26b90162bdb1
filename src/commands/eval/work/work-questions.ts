/** Forty questions of a working day, by what they need. */

/** What a question of the work set needs. */
export type WorkKind = 'nothing' | 'sum' | 'look-up' | 'two steps' | 'not there' | 'several'

export interface WorkQuestion {
  id: string
  kind: WorkKind
  question: string
  /** Each must be in a right answer, in one of its forms (separated by `|`). */
  contains: readonly string[]
  /** None may be in a right answer. */
  excludes?: readonly string[]
  /** The tools that a right answer must have called. */
  calls?: readonly string[]
}

type QuestionRow = [question: string, contains: string[], more?: { calls?: string[]; excludes?: string[] }]

/** Words that say that nothing was found. */
const NOT_THERE =
  "not found|no such|could not|couldn't|can't|cannot|unable|does not exist|doesn't exist|no information|not available|nothing|i found no|there is no|no record|no rule|not in the|unknown|not listed|do not have|don't have|not know"

const NOTHING: QuestionRow[] = [
  [
    'Turn this into one polite sentence: Send the numbers today.',
    ['today'],
    { excludes: ['<', '{', 'found', 'cannot', 'could not'] },
  ],
  ['What is the plural of the word "analysis"?', ['analyses']],
  ['Translate "good morning" into French.', ['bonjour']],
  [
    'Which of these words is misspelt: receive, seperate, believe?',
    ['separate|seperate'],
    { excludes: ['believe are', 'no misspelt'] },
  ],
  ['Give me a word that means the opposite of "expensive".', ['cheap|inexpensive|affordable|low']],
  ['How many minutes are in two hours?', ['120']],
]

const SUM: QuestionRow[] = [
  ['What is 418 * 37?', ['15466'], { calls: ['calculator'] }],
  ['What is 15 % of 3260?', ['489'], { calls: ['calculator'] }],
  ['We order 46 lamps at 39 euros each. What do they cost together?', ['1794'], { calls: ['calculator'] }],
  ['A contract costs 87 euros a month. What is that in three years?', ['3132'], { calls: ['calculator'] }],
  ['What is the square root of 15129?', ['123'], { calls: ['calculator'] }],
  ['Three invoices are 412.50, 98.20 and 1310 euros. What is the total?', ['1820.7'], { calls: ['calculator'] }],
  ['Divide 9184 by 28.', ['328'], { calls: ['calculator'] }],
  ['The price rises from 640 to 720 euros. By how many percent is that?', ['12.5'], { calls: ['calculator'] }],
]

const LOOK_UP: QuestionRow[] = [
  ['Who is the manager of Jonas Vik?', ['priya nair'], { calls: ['colleague'] }],
  ['Which team is Lotte Braun in?', ['support'], { calls: ['colleague'] }],
  ['Who owns the task PAY-7?', ['ines moreau'], { calls: ['task'] }],
  ['What is the state of shipment S-2077?', ['customs'], { calls: ['shipment'] }],
  ['What does an office chair cost?', ['215'], { calls: ['article'] }],
  ['How many desks are at the site Mill?', ['85'], { calls: ['site'] }],
  ['How many days of holiday do I have a year?', ['27'], { calls: ['house_rules'] }],
  ['Within how many days do I have to hand in a receipt?', ['21'], { calls: ['house_rules'] }],
  ['Which day of the week is 2027-02-01?', ['monday'], { calls: ['day_of_week'] }],
]

const TWO_STEPS: QuestionRow[] = [
  ['In which city does Jonas Vik work?', ['arnhem'], { calls: ['colleague', 'site'] }],
  ['What is the phone number of the owner of task WEB-14?', ['4533'], { calls: ['task', 'colleague'] }],
  ['On which day of the week was task PAY-7 opened?', ['thursday'], { calls: ['task', 'day_of_week'] }],
  ['What do 12 headsets cost?', ['744'], { calls: ['article', 'calculator'] }],
  ['Who is the manager of the manager of Lotte Braun?', ['ruth adeyemi'], { calls: ['colleague'] }],
  ['On which day of the week was shipment S-2041 sent?', ['tuesday'], { calls: ['shipment', 'day_of_week'] }],
  [
    'What is the phone number of the front desk at the site of Ines Moreau?',
    ['4001'],
    { calls: ['colleague', 'site'] },
  ],
  ['What is the value of all desk lamps in stock?', ['4680'], { calls: ['article', 'calculator'] }],
]

const ABSENT: QuestionRow[] = [
  [
    'What is the state of shipment S-9999?',
    [NOT_THERE],
    { calls: ['shipment'], excludes: ['delivered', 'on its way'] },
  ],
  ['Who is the manager of Karl Nemo?', [NOT_THERE], { calls: ['colleague'], excludes: ['ruth adeyemi', 'tomasz'] }],
  ['What does a coffee machine cost?', [NOT_THERE], { calls: ['article'], excludes: ['euros a'] }],
  ['Which rule is there about dogs in the office?', [NOT_THERE], { calls: ['house_rules'], excludes: ['badge'] }],
  ['What is the priority of task OPS-1?', [NOT_THERE], { calls: ['task'], excludes: ['urgent', 'medium'] }],
]

const SEVERAL: QuestionRow[] = [
  ['Who owns WEB-14 and who owns WEB-29?', ['jonas vik', 'lotte braun'], { calls: ['task'] }],
  [
    'Which is heavier, shipment S-2041 or S-2102?',
    ['s-2102|35'],
    { calls: ['shipment'], excludes: ['s-2041 is heavier'] },
  ],
  ['Which site has more floors, Mill or Orchard?', ['mill'], { calls: ['site'] }],
  ['Give me the phone numbers of Priya Nair and Sami Haddad.', ['4530', '4610'], { calls: ['colleague'] }],
]

const KINDS: [WorkKind, QuestionRow[]][] = [
  ['nothing', NOTHING],
  ['sum', SUM],
  ['look-up', LOOK_UP],
  ['two steps', TWO_STEPS],
  ['not there', ABSENT],
  ['several', SEVERAL],
]

export const WORK_QUESTIONS: readonly WorkQuestion[] = KINDS.flatMap(([kind, rows]) =>
  rows.map(([question, contains, more = {}], i) => ({ id: `${kind} ${i + 1}`, kind, question, contains, ...more })),
)
