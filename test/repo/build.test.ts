import { join, relative } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { textOf } from '../harness/project-files.ts'
import { SourceFile } from '../harness/source.ts'

/** Returns the files that `npm run build` compiles: those that its settings name, and all of their imports. */
function built(): Set<string> {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile)
  const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const paths = new Set(fileNames.map((name) => relative(ROOT, name)))
  // Iterating over a set includes the entries that are added meanwhile.
  for (const path of paths) for (const name of new SourceFile(path).imports) if (name.endsWith('.ts')) paths.add(name)
  return paths
}

const paths = [...built()]

test('the build contains every entry point except the playground’s, and nothing for developers only', () => {
  const doors = [
    'src/main.ts',
    'src/commands/runs.ts',
    'src/commands/feedback.ts',
    'src/commands/mcp.ts',
    'src/commands/tool.ts',
    'src/commands/slack.ts',
    'src/commands/cli.ts',
    'src/commands/eval.ts',
    'tools/index.ts',
  ]
  expect(paths).toEqual(expect.arrayContaining(doors))
  expect(paths.filter((path) => !/^(src|tools)\//.test(path) || path.startsWith('playground/slack/'))).toEqual([])
})

test('every npm script for an image has its file in the build', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  for (const name of ['start', 'runs', 'feedback', 'mcp', 'slack', 'cli', 'eval']) {
    const [, file = ''] = /node dist\/(\S+)\.js/.exec(scripts[name] ?? '') ?? []
    expect(paths).toContain(`${file}.ts`)
  }
})
