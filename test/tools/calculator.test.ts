import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolError } from '../../src/base/errors.ts'
import { calculate, calculator } from '../../tools/calculator.ts'
import { anyCharacter } from '../harness/any-character.ts'
import { cpuClock } from '../harness/cpu-clock.ts'
import { toolContext } from '../harness/tool-context.ts'
import { propertyRuns } from '../harness/property-runs.ts'

describe('sums of the seeds', () => {
  test.each([
    ['29^0.23', 2.169459462491557],
    ['25^(1/2)', 5],
    ['(54-32)\\*5/9', 12.222222222222221],
    ['23200/2', 11600],
    ['49319/2', 24659.5],
  ])('%s', (expression, value) => {
    expect(calculate(expression)).toBe(value)
  })
})

describe('arithmetic', () => {
  test.each([
    ['2+3*4', 14],
    ['(2+3)*4', 20],
    ['-3^2', -9],
    ['2^-1', 0.5],
    ['2^3^2', 512],
    ['17 % 5', 2],
    ['5!', 120],
    ['1e3 + .5', 1000.5],
    ['0.1+0.2', 0.30000000000000004],
    ['sqrt(16) + cbrt(27)', 7],
    ['log(e)', 1],
    ['log(8, 2)', 3],
    ['log10(1000)', 3],
    ['round(1.005, 2)', 1.01],
    ['round(-2.4)', -2],
    ['max(1,234)', 234],
    ['min(3, 2, 1)', 1],
    ['sin(pi/2)', 1],
    ['degrees(pi)', 180],
    ['sum(1, 2, 3.5)', 6.5],
  ])('%s = %d', (expression, value) => {
    expect(calculate(expression)).toBeCloseTo(value, 12)
  })
})

describe('a result is shown', () => {
  test.each([
    ['0.1+0.2', '0.3'],
    ['1.1*1.1', '1.21'],
    ['4.35*100', '435'],
    ['1.005*1000', '1005'],
    ['-0.1*3', '-0.3'],
    ['1-0.9', '0.1'],
    ['3e-7*0.1', '3e-8'],
    ['sqrt(2)^2', '2'],
    ['1234567.89*1.19', '1469135.7891'],
    ['123456.789*3', '370370.367'],
    ['0.1*3e-300', '3e-301'],
  ])('plainly rounder where its 15 faithful digits are: %s is %s', async (expression, text) => {
    expect(await calculator().run({ expression }, toolContext())).toBe(text)
  })

  test.each([
    ['29^0.23', '2.169459462491557'],
    ['1/3', '0.3333333333333333'],
    ['2/3', '0.6666666666666666'],
    ['(54-32)*5/9', '12.222222222222221'],
    ['pi', '3.141592653589793'],
    ['sqrt(2)', '1.4142135623730951'],
    ['10^16+2', '10000000000000002'],
    ['2^53', '9007199254740992'],
    ['100/7', '14.285714285714286'],
    ['0.1+0.2-0.3', '5.551115123125783e-17'],
    ['2.5', '2.5'],
    ['1e300', '1e+300'],
    ['0', '0'],
  ])('as JavaScript prints it where they are not: %s is %s', async (expression, text) => {
    expect(await calculator().run({ expression }, toolContext())).toBe(text)
  })
})

describe('the notations of models are understood', () => {
  test.each([
    ['2**10', 1024],
    ['6 × 7', 42],
    ['84 ÷ 2', 42],
    ['50 − 8', 42],
    ['6 x 7', 42],
    ['6 \\times 7', 42],
    ['√49 * 6', 42],
    ['5² + 17', 42],
    ['2⁻¹ * 84', 42],
    ['`6*7`', 42],
    ['"6*7"', 42],
    ['“6*7”', 42],
    ['```\n6*7\n```', 42],
    ['$6*7$', 42],
    ['6*7 =', 42],
    ['= 6*7', 42],
    ['$1,234.50 * 2', 2469],
    ['(1,000,000) / 4', 250000],
    ['1_000 / 4', 250],
    ['Math.sqrt(1764)', 42],
    ['SQRT(1764)', 42],
    ['2*PI/tau*42', 42],
    ['17 mod 5', 2],
    ['(129 euros * 12)', 1548],
    ['87 euros/month * 36 months', 3132],
    ['90 km/h * 2 h', 180],
    ['37 licences × 129 €', 4773],
    ['2 kg + 3 kg', 5],
    ['max(3 km, 5 km) / 2', 2.5],
    ['0x2A', 42],
    ['６×７', 42],
    ['mod(17, 5)', 2],
    ['log(1000, 10)', 3],
    ['log(8, 2)', 3],
    ['log(9, 3)', 2],
    ['log(1/81, 3)', -4],
    ['log(2, 4)', 0.5],
    ['log(125, 5)', 3],
    ['round(1.005, 2)', 1.01],
    ['round(1234.5, -2)', 1200],
    ['round(2.5)', 3],
    ['degrees(pi)', 180],
    ['radians(180) / pi', 1],
    ['atan2(0, -1) / pi', 1],
    ['sum(1, 2, 39)', 42],
    ['factorial(5)', 120],
  ])('%s', (expression, value) => {
    expect(calculate(expression)).toBe(value)
  })

  test.each([
    ['15% of 200', 30],
    ['200 * 15%', 30],
    ['100 / 5%', 2000],
    ['2^100%', 2],
    ['1000 - 10% of 200', 980],
    ['50%', 0.5],
    ['max(10%, 5%)', 0.1],
  ])('the percentage in %s', (expression, value) => {
    expect(calculate(expression)).toBeCloseTo(value, 12)
  })

  test.each(['200 + 10%', '10% + 5', '10 % -3', '(3+4)% * 5'])('the percentage in %s is not guessed', (expression) => {
    expect(() => calculate(expression)).toThrow('Unclear what the percentage refers to')
  })
})

describe('units', () => {
  test.each([
    ['2 hours + 20 minutes', /Different units cannot be added: hours, minutes/],
    ['3 million * 2', /million/],
    ['5k * 2', /k/],
    ['18 percent of 2450', /percent/],
    ['7 plus 5', /plus/],
    ['euros * 3', /euros/],
  ])('%s is refused', (expression, sentence) => {
    expect(() => calculate(expression)).toThrow(sentence)
  })
})

describe('an invalid expression is refused with a sentence', () => {
  test.each([
    ['9^9^9^9', 'too large'],
    ['1e308*10', 'too large'],
    ['1/0', 'division by zero'],
    ['0/0', 'has no value'],
    ['sqrt(-1)', 'has no value'],
    ['(-2)!', 'has no value'],
    ['171!', 'too large'],
    ['1e999', 'too large'],
    ['f(x) = f(x); f(1)', '"f" is not arithmetic'],
    ['x = 5', '"x" is not arithmetic'],
    ['1; 2', '";" is not arithmetic'],
    ['1, 2', 'There is a comma in the wrong place'],
    ['[1,2]', '"[" is not arithmetic'],
    ['{a: 1}', '"{" is not arithmetic'],
    ['"a" || "b"', 'is not arithmetic'],
    ['while(1)', '"while" is not arithmetic'],
    ['random()', '"random" is not arithmetic'],
    ['constructor', '"constructor" is not arithmetic'],
    ['constructor("return process")()', '"constructor" is not arithmetic'],
    ['toString()', '"tostring" is not arithmetic'],
    ['__proto__', 'is not arithmetic'],
    ['(1).constructor', 'is not arithmetic'],
    ['hasOwnProperty', 'is not arithmetic'],
    ['Math.constructor', 'is not arithmetic'],
    ['5 > 3', '">" is not arithmetic'],
    ['1 ? 2 : 3', '"?" is not arithmetic'],
    ['What is 2+2', '"what" is not arithmetic'],
    ['2(3+4)', 'write * where you mean times'],
    ['2 3', 'write * where you mean times'],
    ['2 +', 'is incomplete'],
    ['* 2', 'A number is missing before "*"'],
    ['()', 'A number is missing before ")"'],
    ['(1+2', 'A closing bracket is missing'],
    ['1+2)', 'one closing bracket too many'],
    ['sqrt 2 +', 'is incomplete'],
    ['sin 2', 'sin needs its value in brackets'],
    ['pow(2)', 'pow does not take 1 value.'],
    ['sqrt(1,2)', 'sqrt does not take 2 values.'],
    ['round(1, 0.5)', 'has no value'],
    ['round(1, 16)', 'has no value'],
    ['(-0.5)!', 'has no value'],
    [`${'x'.repeat(40)} + 1`, `"${'x'.repeat(20)}…" is not arithmetic`],
    ['', 'no expression'],
  ])('%s', (expression, sentence) => {
    expect(() => calculate(expression)).toThrow(ToolError)
    expect(() => calculate(expression)).toThrow(sentence)
  })

  test.each([
    ['a million terms', '1+'.repeat(1_000_000) + '1'],
    ['many signs', '1+'.repeat(400) + '1'],
    ['brackets without end', '('.repeat(1_000_000)],
    ['deep brackets', `${'('.repeat(200)}1${')'.repeat(200)}`],
    ['nested functions', `${'sqrt('.repeat(180)}1${')'.repeat(180)}`],
    ['a tower of powers', Array(300).fill('9').join('^')],
    ['a row of factorials', `3${'!'.repeat(900)}`],
    ['a row of minus signs', `${'-'.repeat(999)}1`],
    ['a row of percent signs', `3${'%'.repeat(900)}`],
    ['a huge number', '9'.repeat(900)],
  ])('%s', (_, expression) => {
    const spent = cpuClock()
    expect(() => calculate(expression)).toThrow(ToolError)
    expect(spent()).toBeLessThan(5_000) // Only a freeze takes this long. The bench checks 50 ms.
  })
})

test('any input gives a finite number or a sentence', () => {
  const pieces = fc.constantFrom(
    ...[
      '1',
      '2.5',
      '(',
      ')',
      '+',
      '-',
      '*',
      '/',
      '^',
      '%',
      '!',
      ',',
      ' ',
      'sqrt',
      'max',
      'pi',
      'x',
      '1,000',
      '=',
      'of',
      '²',
    ],
  )
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter }),
    fc.array(pieces, { maxLength: 60 }).map((p) => p.join('')),
  )
  fc.assert(
    fc.property(text, (expression) => {
      try {
        expect(Number.isFinite(calculate(expression))).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ToolError)
      }
    }),
    { numRuns: propertyRuns({ test: 500, chaos: 3_000 }) },
  )
})

test('arithmetic with plain numbers matches JavaScript', () => {
  const number = fc.double({ min: 0, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('+', '-', '*'), number), { minLength: 1, maxLength: 20 }),
      (terms) => {
        const expression = terms.map(([sign, value]) => `${sign} ${value}`).join(' ')
        const full = `1 ${expression}`
        const expected: unknown = new Function(`return ${full}`)()
        if (Number.isFinite(expected)) expect(calculate(full)).toBe(expected === 0 ? 0 : expected)
      },
    ),
  )
})

test('the tool prints numbers like JavaScript', async () => {
  const context = {
    signal: new AbortController().signal,
    fetch: unused,
    now: () => new Date(0),
    ask: unused,
    memory: {},
  }
  expect(await calculator().run({ expression: '10^21' }, context)).toBe('1e+21')
  await expect(calculator().run({ expression: '10^400' }, context)).rejects.toThrow(ToolError)
})

async function unused(): Promise<never> {
  throw new Error('the calculator needs nothing but itself')
}

describe('whole numbers that a double cannot hold', () => {
  test.each([
    ['123456789 * 987654321', '121932631112635269'],
    ['9007199254740993 + 0', '9007199254740993'],
    ['9007199254740993 - 9007199254740992', '1'],
    ['(2^60+1) - 2^60', '1'],
    ['2^100', '1267650600228229401496703205376'],
    ['-3^41', '-36472996377170786403'],
    ['25!', '15511210043330985984000000'],
    ['1234567890123456789 % 1000', '789'],
    ['1234567890123456789 * 2 / 2', '1234567890123456789'],
    ['1,234,567,890,123,456,789 + 1', '1234567890123456790'],
    ['0.5 * 18014398509481986', '9007199254740993'],
    ['123456789.123456789 * 1000000000', '123456789123456789'],
    ['0.1234567890123456789 * 10^19', '1234567890123456789'],
    ['0009007199254740993 + 1', '9007199254740994'],
  ])('are exact: %s is %s', async (expression, text) => {
    expect(await calculator().run({ expression }, toolContext())).toBe(text)
  })

  test.each([
    ['9007199254740993 / 2', 'about 4503599627370496'],
    ['sqrt(2) * 1e20', 'about 141421356237309510000'],
    ['max(9007199254740993, 1)', 'about 9007199254740992'],
    ['3^400', 'about 7.055079108655333e+190'],
    ['9007199254740993.5 + 1', 'about 9007199254740996'],
  ])('or are said to be rounded: %s is %s', async (expression, text) => {
    expect(await calculator().run({ expression }, toolContext())).toBe(text)
  })
})
