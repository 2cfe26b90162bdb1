import { join } from 'node:path'
import { createJiti } from 'jiti'
import { expect, test } from 'vitest'
import { messageOf, ModelError, ToolError } from '../../src/base/errors.ts'
import { ROOT } from '../../src/base/package-root.ts'

test('a ToolError is recognized by its class, even from jiti’s copy for custom tools', async () => {
  const copy = await createJiti(import.meta.url, { moduleCache: false }).import(join(ROOT, 'src/base/errors.ts'))
  const theirs: unknown = Reflect.construct(Reflect.get(Object(copy), 'ToolError'), ['no such page'])
  expect(Object.getPrototypeOf(theirs)).not.toBe(ToolError.prototype)
  expect([theirs instanceof ToolError, messageOf(theirs)]).toEqual([true, 'no such page'])
  expect(new ToolError('x')).toBeInstanceOf(ToolError)
  const named = Object.assign(new Error('x'), { name: 'ToolError' })
  for (const other of [named, new Error('ToolError'), new ModelError('x', { hint: 'y' }), undefined, 'ToolError'])
    expect(other).not.toBeInstanceOf(ToolError)
})
