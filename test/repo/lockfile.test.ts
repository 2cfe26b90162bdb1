import { expect, test } from 'vitest'
import { textOf } from '../harness/project-files.ts'

interface Lock {
  packages: Record<
    string,
    { resolved?: string; integrity?: string; link?: boolean; dependencies?: object; devDependencies?: object }
  >
}

const lock = JSON.parse(textOf('package-lock.json')) as Lock
const manifest = JSON.parse(textOf('package.json')) as { dependencies: object; devDependencies: object }

test('package-lock.json contains no download addresses, so npm ci uses the configured registry', () => {
  expect(
    Object.entries(lock.packages)
      .filter(([, { resolved }]) => resolved !== undefined)
      .map(([name]) => name),
  ).toEqual([])
})

test('package-lock.json has an integrity hash for every package', () => {
  const unsure = Object.entries(lock.packages).filter(
    ([name, { integrity, link }]) => name !== '' && !integrity && !link,
  )
  expect(unsure.map(([name]) => name)).toEqual([])
})

test('package-lock.json matches package.json', () => {
  expect(lock.packages['']?.dependencies).toEqual(manifest.dependencies)
  expect(lock.packages['']?.devDependencies).toEqual(manifest.devDependencies)
})
