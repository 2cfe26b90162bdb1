import { expect, test } from 'vitest'
import { textOf } from '../harness/source.ts'

interface Lock {
  packages: Record<
    string,
    { resolved?: string; integrity?: string; link?: boolean; dependencies?: object; devDependencies?: object }
  >
}

const lock = JSON.parse(textOf('package-lock.json')) as Lock
const manifest = JSON.parse(textOf('package.json')) as { dependencies: object; devDependencies: object }

test('package-lock.json carries no download addresses, so that npm ci asks whichever registry is set', () => {
  expect(
    Object.entries(lock.packages)
      .filter(([, { resolved }]) => resolved !== undefined)
      .map(([name]) => name),
  ).toEqual([])
})

test('package-lock.json can vouch for every package', () => {
  const unsure = Object.entries(lock.packages).filter(
    ([name, { integrity, link }]) => name !== '' && !integrity && !link,
  )
  expect(unsure.map(([name]) => name)).toEqual([])
})

test('package-lock.json belongs to package.json', () => {
  expect(lock.packages['']?.dependencies).toEqual(manifest.dependencies)
  expect(lock.packages['']?.devDependencies).toEqual(manifest.devDependencies)
})
