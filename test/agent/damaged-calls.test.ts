/** Calls as gateways and broken templates leave them: read rightly, or asked again. */
import { describe, expect, test } from 'vitest'
import { readCompletion } from '../../src/commands/eval/score-parser.ts'
import { read, tool } from '../harness/dialect.ts'

const TOOLS = ['send_message', 'search', 'read_file']
const action = (tool: string, input: unknown) => ({ kind: 'action', tool, input })
const both = { query: 'a', limit: 5 }
const SCHEMA = '{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}'

describe.each(['text', 'json', 'native'])('%s', (dialect) => {
  test.each([
    [
      'an argument without its closing tag',
      '<function=search>\n<parameter=query>\na\n<parameter=limit>\n5\n</parameter>\n</function>',
      both,
    ],
    [
      'two without',
      '<invoke name="search">\n<parameter name="query">a\n<parameter name="limit">5</parameter>\n</invoke>',
      both,
    ],
    [
      'an argument closed by its own name',
      '<invoke name="search"><parameter name="query">a</query><parameter name="limit">5</parameter></invoke>',
      both,
    ],
    [
      'the last one closed by its own name',
      '<function=search>\n<parameter=limit>5</parameter>\n<parameter=query>a</query>\n</function>',
      both,
    ],
    [
      'HTML with a tag of the argument’s name',
      '<function=search><parameter=html><html>a</html> b</parameter></function>',
      { html: '<html>a</html> b' },
    ],
    [
      'CDATA with a tag inside',
      '<invoke name="search"><parameter name="query"><![CDATA[a </parameter> b]]></parameter></invoke>',
      { query: 'a </parameter> b' },
    ],
    [
      'keys as attributes',
      '<tool_name>search</tool_name>\n<arguments><arg key="query">a</arg></arguments>',
      { query: 'a' },
    ],
    [
      'a colon after a key',
      '<tool_call>search\n<arg_key>query</arg_key> :\n<arg_value>a</arg_value>\n</tool_call>',
      { query: 'a' },
    ],
    [
      'doubled bars',
      '<||DSML||invoke name="search"><||DSML||parameter name="query">a</||DSML||parameter></||DSML||invoke>',
      { query: 'a' },
    ],
    [
      'spaced bars',
      '< ｜ DSML ｜ invoke name="search">< ｜ DSML ｜ parameter name="query">a</ ｜ DSML ｜ parameter></ ｜ DSML ｜ invoke>',
      { query: 'a' },
    ],
    ['round brackets after Gemma’s mark', '<|tool_call>call:search(query="a", limit=5)', both],
    [
      'an answer’s tag around calls',
      '<answer><tool_call>{"name": "search", "arguments": {"query": "a"}}</tool_call></answer>',
      { query: 'a' },
    ],
    [
      'a wrapper for parallel calls',
      '{"name": "multi_tool_use.parallel", "arguments": {"tool_uses": [{"recipient_name": "functions.search", "parameters": {"query": "a"}}]}}',
      { query: 'a' },
    ],
  ])('reads %s', (_what, completion, input) => {
    expect(readCompletion(dialect, completion, TOOLS)).toEqual(action('search', input))
  })

  test.each([
    ['the end of the text and an invented turn', `<|tool_call|>search{"query": "a"}<|endoftext|>Human: next`],
    ['a doubled opening tag’s end', '<function=search>{"query": "a"}</function></function>'],
    ['spaces around Functionary’s name', '>>> search \n{"query": "a"}'],
    ['arguments in a fence and a text', '<tool_call>search\n```json\n{"query": "a"}\n```</tool_call>'],
  ])('reads a call with %s', (_what, completion) => {
    expect(readCompletion(dialect, completion, TOOLS)).toEqual(action('search', { query: 'a' }))
  })

  test.each([
    [
      'cut off in the next argument’s tag',
      '<invoke name="search">\n<parameter name="query">a</parameter>\n<parameter name="li',
    ],
    ['cut off right there', '<tool_call>\n<function=search>\n<parameter=query>\na\n</parameter>\n<p'],
    [
      'an argument without its opening tag',
      '<invoke name="search"><parameter name="query">a</parameter>5</parameter></invoke>',
    ],
    ['a value without its opening tag', '<search>\na</query>\n</search>'],
    ['a value without its closing tag', '<search>\n<query>a\n</search>'],
    ['one of several without', '<search>\n<query>a</query>\n<limit>5\n<deep>true</deep>\n</search>'],
    ['a doubled opening', '<function=search><function=search>{"query": "a"}</function>'],
    ['a key without a value', '<tool_call>search\n<arg_key>query</arg_key>\n</tool_call>'],
    ['cut off between two arguments', '<function=search>\n<parameter=query>\na\n</parameter>\n'],
    ['cut off there, in Claude’s form', '<invoke name="search">\n<parameter name="query">a</parameter>'],
    ['cut off there, in GLM’s', '<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>a</arg_value>'],
    ['cut off there, before a remark', '<function=search>\n<parameter=query>a</parameter>\nOne moment.'],
    ['a definition', `{"type": "function", "function": {"name": "search", "parameters": ${SCHEMA}}}`],
    ['a definition in the marks of a call', `<tool_call>{"name": "search", "parameters": ${SCHEMA}}</tool_call>`],
    ['a definition of MCP', `{"name": "search", "inputSchema": ${SCHEMA}}`],
    ['a definition of Claude', `{"name": "search", "description": "Searches.", "input_schema": ${SCHEMA}}`],
    ['a list of definitions', `<tools>\n{"type": "function", "name": "search", "description": "Searches."}\n</tools>`],
    ['Mistral’s list', '[AVAILABLE_TOOLS][{"type":"function","function":{"name":"search"}}][/AVAILABLE_TOOLS]'],
    [
      'an argument that begins inside another on its line',
      '<function=search><parameter=a>x <parameter=b>y</parameter></function>',
    ],
    ['a positional argument beside a named one', "<|tool_call_start|>[search('a', limit=5)]<|tool_call_end|>"],
  ])('asks again about %s', (_what, completion) => {
    expect(readCompletion(dialect, completion, TOOLS).kind).not.toBe('action')
  })
})

describe('labels', () => {
  test.each([
    ['twice each', 'Thought: Thought: so\nAction: Action: search\nAction Input: Action Input: a', 'a'],
    [
      'with a call as the input',
      'Action: search\nAction Input: <function=search><parameter=query>a</parameter></function>',
      { query: 'a' },
    ],
    ['with a comment behind the object', 'Action: search\nAction Input: {"query": "a"}  # look', '{"query": "a"}'],
    ['with a comment of two slashes', 'Action: search\nAction Input: {"query": "a"} // look', '{"query": "a"}'],
    ['with a lone brace behind the object', 'Action: search\nAction Input: {"query": "a"}}', '{"query": "a"}'],
    ['with a lone bracket behind the object', 'Action: search\nAction Input: {"query": "a"}]', '{"query": "a"}'],
  ])('are read %s', (_how, completion, input) => {
    expect(readCompletion('text', completion, TOOLS)).toEqual(action('search', input))
  })

  test('with another tool’s call as the input are asked again', () => {
    const other = 'Action: search\nAction Input: <tool_call>{"name": "send_message", "arguments": {}}</tool_call>'
    expect(readCompletion('text', other, TOOLS)).toEqual({ kind: 'unparsable' })
  })

  test('a call of finish with a named argument is the answer', () => {
    expect(readCompletion('text', 'Action: finish(answer="42")', TOOLS)).toEqual({ kind: 'finish', answer: '42' })
  })
})

describe('names that a gateway mangled', () => {
  test.each([
    ['functions_read_file_3', 'read_file'],
    ['functions.read_file:0', 'read_file'],
    ['read_file<|channel|>commentary', 'read_file'],
    ['search<|constrain|>json', 'search'],
    ['default_api_search', 'search'],
  ])('%s is %s', (written, name) => {
    expect(readCompletion('text', `Action: ${written}\nAction Input: a`, TOOLS)).toEqual(action(name, 'a'))
    const toolCalls = [{ id: 'c1', name: written, arguments: '{}' }]
    expect(read('native', { text: '', toolCalls }, TOOLS.map(tool))).toMatchObject({ actions: [{ tool: name }] })
  })

  test('stay as they are if two tools could be meant', () => {
    const toolCalls = [{ id: 'c1', name: 'functions_read_1', arguments: '{}' }]
    const tools = ['read', 'read_1', 'functions_read'].map(tool)
    expect(read('native', { text: '', toolCalls }, tools)).toMatchObject({ actions: [{ tool: 'functions_read_1' }] })
  })

  test('a wrapper of parallel calls becomes its calls', () => {
    const uses = ['search', 'read_file'].map((name) => ({
      recipient_name: `functions.${name}`,
      parameters: { query: name },
    }))
    const toolCalls = [{ id: 'c1', name: 'multi_tool_use.parallel', arguments: JSON.stringify({ tool_uses: uses }) }]
    expect(read('native', { text: '', toolCalls }, TOOLS.map(tool))).toMatchObject({
      actions: [
        { tool: 'search', input: { query: 'search' } },
        { tool: 'read_file', input: { query: 'read_file' } },
      ],
    })
  })
})

describe('marks of calls are no thought', () => {
  test.each([
    '<tool_call>\n<function=search>\n<parameter=query>a</parameter>\n</function>\n</tool_call>',
    '[TOOL_CALLS] [{"name": "search", "arguments": {"query": "a"}}]',
    '<minimax:tool_call>\n<invoke name="search">\n<parameter name="query">a</parameter>\n</invoke>\n</minimax:tool_call>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "a"}<|tool_call_end|>',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search"><｜DSML｜parameter name="query">a</｜DSML｜parameter></｜DSML｜invoke>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "a"}<｜tool▁call▁end｜>',
    '<function_calls>\n<invoke name="search"><parameter name="query">a</parameter></invoke>\n</function_calls>',
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="search"><steptml:parameter name="query">a</steptml:parameter></steptml:invoke>',
    '<tool_use>\n<name>search</name>\n<arguments>{"query": "a"}</arguments>\n</tool_use>',
    'functools[{"name": "search", "arguments": {"query": "a"}}]',
  ])('%s', (call) => {
    for (const name of ['text', 'json', 'native'] as const)
      for (const [before, thought] of [
        ['', ''],
        ['I look.\n', 'I look.'],
      ])
        expect(read(name, `${before}${call}`, TOOLS.map(tool))).toMatchObject({ kind: 'actions', thought })
  })
})

describe.each(['native', 'conversational'] as const)('%s shows no call as the answer', (name) => {
  test.each([
    ...[
      '<tool_ca',
      '{"na',
      '{"name":"send_mes',
      'I look.\n<function=send_mes',
      'I look.\n<｜tool▁calls▁be',
      '[TOOL_CA',
      'I look.<tool_ca',
    ],
    'Action: search',
    'Then:\n**Action 2：`search`**',
    '<function = search>\n<parameter = query>a</parameter>\n</function>',
    '<details type="tool_calls" done="true" name="search" arguments="{&quot;query&quot;: &quot;a&quot;}">\n</details>',
    'search → {"query": "a"}',
    'search: {"query": "a"}',
    'search[ARGS]{"query": "a"}',
    'functions.search:0{"query": "a"}',
    '[Calling tool: search with args {"query": "a"}]',
    'Calling function `search` with {"query": "a"}',
    'Invoking the tool: search',
    'To find it, I will use the `search` function. The arguments are {"query": "a"}.',
    'I’ll call the search tool now.',
    'I’ll run the search tool in a moment.',
    'To find it, I need this:\n```json\n{"name": "search", "arguments": {"query": "a"}}\n```\nThis will find it.',
    '{"name": "color", "arguments": {}}',
    '[tool_use: search, args: {"query": "a"}]',
    '{"tool": "unknown", "args": {"query": "a"}}',
    'I look. <parameter name="query">a</parameter>',
    '<arg_key>query</arg_key><arg_value>a</arg_value>',
    '<search query="a"/>',
    '<｜tool▁sep｜>search',
    '<tool_response>42</tool_response>\nIt is 42.',
    'Observation: 42',
    'Action Input: a',
    'Now this:\n```tool_code\nprint(unknown(query="a"))\n```',
    '&lt;tool_call&gt;\n&lt;function=search&gt;\n&lt;parameter=query&gt;a&lt;/parameter&gt;\n&lt;/function&gt;\n&lt;/tool_call&gt;',
    '{&quot;name&quot;: &quot;search&quot;, &quot;arguments&quot;: {&quot;query&quot;: &quot;a&quot;}}',
    '<tool\\_call>search\n<arg\\_key>query</arg\\_key>\n<arg\\_value>a</arg\\_value>\n</tool\\_call>',
    '< tool_call >\n< function=search >\n< parameter=query >a< /parameter >\n< /function >\n< /tool_call >',
    '"<|python_tag|>{\\"name\\": \\"search\\", \\"parameters\\": {\\"query\\": \\"a\\"}}<|eom_id|>"',
    '<|tools_prefix|>[{"functions.search": {"query": "a"}}]<|tools_suffix|>',
    '[{"search": {"query": "a',
    'functools[{"name": "search", "arguments": {"query": "a"}]',
    '{"tool_calls":[{"id":"c1","function":{"name":"search","arguments":"{\\"query\\":\\"a',
    '<longcat_tool_call>search\nquery</longcat_arg_key>\n<longcat_arg_value>a</longcat_arg_value>\n</longcat_tool_call>',
    '[search<|channel|>commentary(query="a")]',
    '<query>a</query>\n</search>',
    '<search\n>\n<query>a</query>\n</search>',
    '{"query": "a"}</function>',
  ])('asks again about %j', (text) => {
    const { kind } = read(name, text, TOOLS.map(tool))
    expect(kind === 'actions' && name === 'conversational' ? 'unreadable' : kind).toBe('unreadable')
  })
})

describe('native', () => {
  test.each(['{"thought": "so", "final_answer": "42"}', '{"action": "Final Answer", "action_input": "42"}'])(
    'asks again about an answer as a call: %s',
    (text) => expect(read('native', text, TOOLS.map(tool)).kind).toBe('unreadable'),
  )

  test.each([
    'The config is {"name": "x", "version": 2}.',
    'Use `<tool_call>` in the template.',
    'Write:\n```xml\n<parameter name="query">a</parameter>\n```\nand nothing else.',
    '{"name": "Ann", "input": "a"}',
    '## Incident\n**Observation:** The load is high.',
    'Write:\n```json\n{"action": "opened", "number": 3}\n```',
    'Search (the tab on the left) shows it.\n\n```python\nprint(total(a=1))\n```',
    'See [search](https://example.com/search) and the function `map`.',
    'If a < b and c > d, write &lt;b&gt; or `&lt;tool_call&gt;`.',
    '"All is well," she said.',
    'The log says {"level": "error", "name": "db"}.',
    'The file\\_name is [1, 2], and the search (of last week) failed.',
    'It was in 1900 (source: search, 2024).',
    'There are two options: search the docs, or ask a person.',
    'Tool: search',
    'Write:\n```yaml\nname: search\n```',
    'Lists are of the type `std::vector<function',
    'The type is std::vector<function',
    'The loop runs while i <params.length',
    '<3',
  ])('shows %j', (answer) => {
    expect(read('native', answer, TOOLS.map(tool))).toEqual({ kind: 'finish', thought: '', answer })
  })
})

test.each([
  'It was in 1900 (source: search, 2024).',
  'Source: Search',
  'Call `search("foo")` in the console.',
  'Put this there:\n```html\n<search class="top">\n  <input name="q">\n```',
  'Apply it:\n```json\n{"kind": "Pod", "spec": {"containers": [{"name": "search", "args": ["x"]}]}}\n```',
  'I will use the search function of the site to find it.',
  'I will use the search function on your site to find it.',
  '<3',
])('conversational shows %j', (answer) => {
  expect(read('conversational', answer, TOOLS.map(tool))).toEqual({ kind: 'finish', thought: '', answer })
})

describe.each(['text', 'json', 'conversational'] as const)(
  '%s makes a call whose input looks like a definition',
  (name) => {
    const schema = { type: 'object', properties: { a: 1 } }
    test.each([
      [{ action: 'search', action_input: schema }, schema],
      [{ name: 'search', arguments: schema }, schema],
      [{ tool: 'search', input_schema: schema }, { input_schema: schema }],
      [{ name: 'search', description: 'Printer is broken' }, { description: 'Printer is broken' }],
      [{ name: 'search', description: 'Printer is broken', type: 'bug' }, { description: 'Printer is broken' }],
    ])('%j', (call, input) => {
      expect(read(name, JSON.stringify(call), [tool('search')])).toMatchObject({
        kind: 'actions',
        actions: [{ tool: 'search', input }],
      })
    })
  },
)

describe('marks and comments around a call', () => {
  const object = '{"query": "x"}'
  const behind = [
    ...['  # multiply', '}', ' // note', ' /* note */', ' <!-- note -->', ' -- note', ';', '.', ',', '"', '**', ' \\'],
    ...[' (searching for x)', ']', ')', '; # c'],
  ]
  test.each(behind)('an object is the input, whatever follows it: %s', (rest) => {
    for (const name of ['text', 'conversational'] as const) {
      const parsed = read(name, `Thought: I look.\nAction: search\nAction Input: ${object}${rest}`, [tool('search')])
      expect(parsed).toMatchObject({ kind: 'actions', actions: [{ tool: 'search', input: object }] })
    }
  })
  test('a fence that a comment follows closes the input', () => {
    const turn = `Thought: I look.\nAction: search\nAction Input: ${'```'}json\n${object}\n${'```'}  # done`
    expect(read('text', turn, [tool('search')])).toMatchObject({
      kind: 'actions',
      actions: [{ input: { query: 'x' } }],
    })
  })
  test('what follows a list or a link is part of the input', () => {
    for (const input of ['[a](https://a.example)', '{a} and {b}', '{"query": "x"} {"query": "y"}'])
      expect(read('text', `Action: search\nAction Input: ${input}`, [tool('search')])).toMatchObject({
        actions: [{ input }],
      })
  })
  test.each([
    'I look.<|tool_call_start|>[search(query="x")]<|tool_call_end|>',
    'I look.\nfunctools[{"name": "search", "arguments": {"query": "x"}}]',
    'I look.<|tool_call|>[{"name": "search", "arguments": {"query": "x"}}]',
  ])('no mark is left in the thought: %s', (turn) => {
    for (const name of ['text', 'json', 'bracket', 'conversational'] as const) {
      const parsed = read(name, turn, [tool('search')])
      expect(parsed).toMatchObject({
        kind: 'actions',
        thought: 'I look.',
        actions: [{ tool: 'search', input: { query: 'x' } }],
      })
    }
  })
})
