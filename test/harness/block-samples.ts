/**
 * A sample of each block and element that the local Slack accepts, with a text by which the page's drawing is found.
 */
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'

export const plain = (text: string) => ({ type: 'plain_text', text })
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const option = (value: string) => ({ text: plain(value), value })
const options = [option('first'), option('second')]
const text = (words: string, style?: object) => ({ type: 'text', text: words, ...(style && { style }) })
const rich = (words: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [text(words)] }],
})
const raw = (words: string) => ({ type: 'raw_text', text: words })
const points = (values: number[]) => values.map((value, index) => ({ label: `p${index}`, value }))
const confirm = { title: plain('Really?'), text: plain('It goes.'), confirm: plain('Do it'), deny: plain('Leave it') }

/** Elements to press or choose from, by type, with a text that shows that they are drawn, or a role and name. */
export const ELEMENTS: Record<string, { element: object; role: string; name: string }> = {
  button: {
    element: { type: 'button', text: plain('Press me'), style: 'primary', value: 'v' },
    role: 'button',
    name: 'Press me',
  },
  workflow_button: { element: { type: 'workflow_button', text: plain('Flow') }, role: 'button', name: 'Flow' },
  ...Object.fromEntries(
    ['static_select', 'users_select', 'conversations_select', 'channels_select', 'external_select'].map((type) => [
      type,
      {
        element: { type, placeholder: plain(`Pick ${type}`), ...(type === 'static_select' && { options }) },
        role: 'combobox',
        name: `Pick ${type}`,
      },
    ]),
  ),
  overflow: { element: { type: 'overflow', options }, role: 'combobox', name: 'More' },
  ...Object.fromEntries(
    ['static', 'users', 'conversations', 'channels', 'external'].map((kind) => [
      `multi_${kind}_select`,
      {
        element: {
          type: `multi_${kind}_select`,
          placeholder: plain(`Several ${kind}`),
          ...(kind === 'static' && { options }),
        },
        role: 'group',
        name: `Several ${kind}`,
      },
    ]),
  ),
  checkboxes: { element: { type: 'checkboxes', options }, role: 'checkbox', name: 'first' },
  radio_buttons: { element: { type: 'radio_buttons', options }, role: 'radio', name: 'second' },
  datepicker: { element: { type: 'datepicker', placeholder: plain('A day') }, role: '', name: 'A day' },
  timepicker: { element: { type: 'timepicker', placeholder: plain('A time') }, role: '', name: 'A time' },
  datetimepicker: { element: { type: 'datetimepicker' }, role: '', name: 'Date and time' },
}

/** Elements that only forms have. */
export const TYPED = ['plain_text_input', 'number_input', 'email_text_input', 'url_text_input']

/** Elements that the page cannot offer and explains. */
export const UNDRAWN = ['rich_text_input', 'file_input']

const task = {
  task_id: 't',
  title: 'The task',
  status: 'complete',
  details: rich('Task details'),
  sources: [{ type: 'url', url: 'https://example.org/s', text: 'A source' }],
}

const RICH = {
  type: 'rich_text',
  elements: [
    {
      type: 'rich_text_section',
      elements: [
        text('Bold', { bold: true }),
        text('Slanted', { italic: true }),
        text('Struck', { strike: true }),
        text('Codeish', { code: true }),
        text('Under', { underline: true }),
        text('Marked', { highlight: true }),
        { type: 'link', url: 'https://example.org/r', text: 'Rich link' },
        { type: 'user', user_id: ALICE },
        { type: 'channel', channel_id: GENERAL },
        { type: 'usergroup', usergroup_id: 'S0GROUP' },
        { type: 'broadcast', range: 'here' },
        { type: 'emoji', name: 'tada' },
        { type: 'date', timestamp: 1_720_710_212, format: '{date_short}', fallback: 'then' },
        { type: 'color', value: '#ff8800' },
        { type: 'team', team_id: 'T0TEAM' },
      ],
    },
    {
      type: 'rich_text_list',
      style: 'ordered',
      offset: 2,
      elements: [{ type: 'rich_text_section', elements: [text('Third item')] }],
    },
    {
      type: 'rich_text_list',
      style: 'bullet',
      indent: 1,
      elements: [{ type: 'rich_text_section', elements: [text('Deeper item')] }],
    },
    { type: 'rich_text_quote', elements: [text('Quoted')] },
    { type: 'rich_text_preformatted', elements: [text('const pre = 1')] },
  ],
}

/** Blocks of a message by type, with the texts that people must be able to read. */
export const BLOCKS: Record<string, { blocks: object[]; words: string[] }> = {
  section: {
    blocks: [
      {
        type: 'section',
        text: mrkdwn('*Section* words <!date^1720710212^{date_short}|once>'),
        fields: [mrkdwn('One field'), plain('Other field')],
        accessory: { type: 'image', image_url: 'https://example.org/i.png', alt_text: 'Beside it' },
      },
    ],
    words: ['Section', 'Jul 11, 2024', 'One field', 'Other field', 'Beside it'],
  },
  header: { blocks: [{ type: 'header', text: plain('A header :eyes:') }], words: ['A header 👀'] },
  divider: { blocks: [{ type: 'divider' }], words: [] },
  context: {
    blocks: [
      {
        type: 'context',
        elements: [mrkdwn('Small print'), { type: 'image', image_url: 'https://example.org/c.png', alt_text: 'Tiny' }],
      },
    ],
    words: ['Small print', 'Tiny'],
  },
  actions: {
    blocks: [
      {
        type: 'actions',
        elements: [{ type: 'button', action_id: 'd', text: plain('Delete it'), style: 'danger', confirm }],
      },
    ],
    words: ['Delete it'],
  },
  image: {
    blocks: [
      { type: 'image', image_url: 'https://example.org/p.png', alt_text: 'The picture', title: plain('Its title') },
    ],
    words: ['The picture', 'Its title'],
  },
  input: {
    blocks: [{ type: 'input', label: plain('Say why'), element: { type: 'plain_text_input', action_id: 'w' } }],
    words: ['Say why'],
  },
  rich_text: {
    blocks: [RICH],
    words: (
      'Bold Slanted Struck Codeish Under Marked|Rich link|@Alice|#general|@S0GROUP|@here|🎉|Jul 11, 2024|#ff8800|@T0TEAM|' +
      'Third item|Deeper item|Quoted|const pre = 1'
    ).split(/[| ](?=[A-Z@#🎉c])/u),
  },
  context_actions: {
    blocks: [
      {
        type: 'context_actions',
        elements: [
          {
            type: 'feedback_buttons',
            action_id: 'vote',
            positive_button: { text: plain('Good'), value: 'y' },
            negative_button: { text: plain('Bad'), value: 'n' },
          },
          { type: 'icon_button', icon: 'trash', action_id: 'bin', text: plain('Throw away') },
        ],
      },
    ],
    words: [],
  },
  markdown: {
    blocks: [{ type: 'markdown', text: '# Marked down\n\nSee https://example.org/m. **Strong** :rocket:' }],
    words: ['Marked down', 'https://example.org/m', 'Strong 🚀'],
  },
  table: { blocks: [{ type: 'table', rows: [[raw('Head'), rich('Rich cell')]] }], words: ['Head', 'Rich cell'] },
  data_table: {
    blocks: [{ type: 'data_table', caption: 'Moons', rows: [[raw('Moon')], [raw('Io')]] }],
    words: ['Moons', 'Moon', 'Io'],
  },
  data_visualization: {
    blocks: [
      {
        type: 'data_visualization',
        title: 'Lines',
        chart: {
          type: 'line',
          series: [
            { name: 'north', data: points([1, -2, 3]) },
            { name: 'south', data: points([2, 2, 1]) },
          ],
          axis_config: { categories: ['p0', 'p1', 'p2'], x_label: 'Places' },
        },
      },
      { type: 'data_visualization', title: 'Shares', chart: { type: 'pie', segments: points([7, 3]) } },
    ],
    words: ['Lines', 'north', 'south', 'Places', 'Shares', '7'],
  },
  task_card: { blocks: [{ type: 'task_card', ...task }], words: ['The task'] },
  plan: { blocks: [{ type: 'plan', title: 'The plan', tasks: [task] }], words: ['The plan', '1 of 1', 'The task'] },
  container: {
    blocks: [
      {
        type: 'container',
        title: plain('The frame'),
        subtitle: plain('Its subtitle'),
        child_blocks: [{ type: 'section', text: mrkdwn('Inside') }],
      },
    ],
    words: ['The frame', 'Its subtitle', 'Inside'],
  },
}
