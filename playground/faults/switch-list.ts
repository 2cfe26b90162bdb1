/** The faults that can be injected. Each has a switch, its texts on the page, and optionally a number or a choice. */

/** A whole number that a person may change. */
interface FaultNumber {
  label: string
  unit: string
  min: number
  max: number
  /** The initial value. */
  start: number
}

/** One option of a choice. */
interface FaultChoice {
  label: string
  options: readonly string[]
  start: string
}

export interface FaultSwitch {
  name: string
  group: FaultGroup
  title: string
  /** A sentence on the effect, and one on what people should see. */
  does: string
  seen: string
  number?: FaultNumber
  choice?: FaultChoice
  /** The label of a second button, which acts once. */
  once?: string
}

type FaultGroup = 'Slack’s answers' | 'Slack’s events' | 'Streams' | 'Model' | 'Around the bot'

const seconds = (label: string, start: number, max = 60): FaultNumber => ({
  ...{ label, unit: 's', min: 1, max, start },
})

const CALLS = [
  {
    name: 'limited',
    group: 'Slack’s answers',
    title: 'Rate limited',
    does: 'Every other call of a method, or post in a channel, gets 429 with Retry-After.',
    seen: 'Steps arrive late and several at a time. The answer arrives once, complete.',
    number: seconds('Retry-After', 2),
  },
  {
    name: 'rates',
    group: 'Slack’s answers',
    title: 'Slack’s own rates',
    does: 'Calls beyond the rates of Slack’s reference get 429: about one post a second in a channel.',
    seen: 'A long run slows down after its first steps. Nothing is missing at the end.',
  },
  {
    name: 'slow',
    group: 'Slack’s answers',
    title: 'Slow Slack',
    does: 'Each Web API call takes this long.',
    seen: 'Everything arrives late, but in order and once.',
    number: seconds('Each call', 2, 30),
  },
  {
    name: 'down',
    group: 'Slack’s answers',
    title: 'Slack down',
    does: 'Every Web API call fails with 503. Events still reach the bot.',
    seen: 'Nothing while it lasts. Afterwards the answer, once, or a message that asks the person to ask again.',
  },
  {
    name: 'scope',
    group: 'Slack’s answers',
    title: 'A scope taken away',
    does: 'Calls that need the scope are answered missing_scope; events that need it do not come.',
    seen: 'The bot works without it, or says what it lacks. Without chat:write it can say nothing. It may not try again for an hour.',
    choice: { label: 'Scope', options: [] as readonly string[], start: 'reactions:write' },
  },
  {
    name: 'loginPage',
    group: 'Slack’s answers',
    title: 'Login page in place of a file',
    does: 'Every download of a file returns Slack’s login page, as it does for a token that lacks the scope.',
    seen: 'The bot says that it could not read the file. It never takes the login page for the file.',
    choice: { label: 'As', options: ['redirect', 'page'], start: 'redirect' },
  },
  {
    name: 'searchExpired',
    group: 'Slack’s answers',
    title: 'Expired search token',
    does: 'The search token of every question has expired: assistant.search.context answers invalid_action_token.',
    seen: 'The search step fails with a sentence, and the question is answered without it.',
  },
] as const satisfies readonly FaultSwitch[]

const EVENTS = [
  {
    name: 'redelivered',
    group: 'Slack’s events',
    title: 'Redelivery',
    does: 'Each event is delivered this many times, with a retry’s headers, as if Slack had missed the ack.',
    seen: 'One answer.',
    number: { label: 'Times', unit: '×', min: 2, max: 4, start: 3 },
  },
  {
    name: 'impatient',
    group: 'Slack’s events',
    title: 'Impatient Slack',
    does: 'Slack waits only this long for an ack, and delivers an event again after 0, 2 and 5 seconds.',
    seen: 'One answer. For /ask and buttons, Slack itself says that they failed.',
    number: { label: 'Waits', unit: 'ms', min: 1, max: 3000, start: 1 },
  },
  {
    name: 'late',
    group: 'Slack’s events',
    title: 'Events hours late',
    does: 'What you write now counts as written this many hours ago and delivered late, as after an outage.',
    seen: 'The message has its earlier time. Its answer arrives now, once.',
    number: { label: 'Late by', unit: 'h', min: 1, max: 72, start: 3 },
  },
  {
    name: 'socketCut',
    group: 'Slack’s events',
    title: 'Socket cut again and again',
    does: 'The bot’s socket is cut at once, and then this often.',
    seen: 'Every question is answered once. One that found no socket is delivered again when there is one.',
    number: seconds('Every', 5),
    once: 'Cut once',
  },
] as const satisfies readonly FaultSwitch[]

const STREAMS = [
  {
    name: 'streamsDie',
    group: 'Streams',
    title: 'Streams end early',
    does: 'A streamed message dies after this long (at Slack: 5 minutes): message_not_in_streaming_state.',
    seen: 'A new stream continues, or the message is completed at the end. Needs steps shown as a stream: /ask settings.',
    number: seconds('Lives', 1),
  },
  {
    name: 'streamsStopped',
    group: 'Streams',
    title: 'Streams stopped without an event',
    does: 'Each stream is stopped as if by a person, but the event never reaches the bot: stopped_by_user.',
    seen: 'The bot stops and says so, as if it had got the event. Needs steps shown as a stream: /ask settings.',
  },
  {
    name: 'streamsRefused',
    group: 'Streams',
    title: 'Streams refused',
    does: 'chat.startStream is answered with this error.',
    seen: 'The run is shown as plain messages, and so are those of the next ten minutes (unknown_method: an hour). Needs steps shown as a stream: /ask settings.',
    choice: {
      label: 'Error',
      options: ['channel_type_not_supported', 'user_not_found', 'restricted_action', 'unknown_method'],
      start: 'channel_type_not_supported',
    },
  },
  {
    name: 'streamsForAll',
    group: 'Streams',
    title: 'Streams that others see',
    does: 'Everybody in a channel sees a stream grow. In Slack, reportedly only the asker does; others see its beginning until it ends.',
    seen: 'Others see each step and word as it arrives. Needs steps shown as a stream: /ask settings.',
  },
] as const satisfies readonly FaultSwitch[]

const MODEL = [
  {
    name: 'modelDown',
    group: 'Model',
    title: 'Model down',
    does: 'Every call of the model fails with 503.',
    seen: 'After a few tries, a sentence that says the model is not available, with a reference.',
  },
  {
    name: 'modelSlow',
    group: 'Model',
    title: 'Slow model',
    does: 'The model begins to write only after this long, and then writes slowly.',
    seen: 'The bot shows that it is thinking. Steps and answer arrive late.',
    number: seconds('Begins after', 5),
  },
  {
    name: 'modelSilent',
    group: 'Model',
    title: 'Silent model',
    does: 'The model accepts the call and never answers.',
    seen: 'Stop works. After AGENT_TIMEOUT_MS at the latest, a sentence says that the model did not answer.',
  },
  {
    name: 'modelInvents',
    group: 'Model',
    title: 'Invented observations',
    does: 'After its action, the model keeps writing and invents the tool’s observation and an answer.',
    seen: 'None of that. The tool is really called, and the answer is based on what it returned.',
  },
  {
    name: 'modelEndless',
    group: 'Model',
    title: 'Endless model',
    does: 'The model never stops writing.',
    seen: 'The call is cut off, and the run ends with an answer or a sentence.',
  },
] as const satisfies readonly FaultSwitch[]

const AROUND = [
  {
    name: 'redisGone',
    group: 'Around the bot',
    title: 'Redis gone',
    does: 'Redis cannot be reached: open connections are cut, and new ones are refused.',
    seen: 'Questions asked meanwhile are accepted when Slack delivers them again, after one or five minutes, and answered once.',
  },
  {
    name: 'mcpChanged',
    group: 'Around the bot',
    title: 'MCP server changes a description',
    does: 'The notes server describes its tool differently than when it was accepted.',
    seen: 'The changed tool is not used until an admin turns it on.',
  },
  {
    name: 'tomorrow',
    group: 'Around the bot',
    title: 'Tomorrow 9:00',
    does: 'The bot’s clock moves forward to the next 9:00 in London, where the people of this workspace are.',
    seen: 'Schedules that are due run within a minute.',
    once: 'A day later',
  },
] as const satisfies readonly FaultSwitch[]

/** All switches, in the order of the page. */
export const SWITCHES = [...CALLS, ...EVENTS, ...STREAMS, ...MODEL, ...AROUND]

export type FaultName = (typeof SWITCHES)[number]['name']
