/** One sample of a scrape: `name{label="value"} 1`. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads `/metrics` as Prometheus does. */
export class Scrape {
  readonly samples: Sample[]

  constructor(text: string) {
    this.samples = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(sampleOf)
  }

  /** Returns the sum over all samples with this name and these labels. Undefined if there are none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const found = this.samples.filter((one) => one.name === name && has(one, labels))
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
  }

  /** Returns the values of a label. */
  values(name: string, label: string): string[] {
    return [...new Set(this.samples.filter((one) => one.name === name).flatMap(({ labels }) => labels[label] ?? []))]
  }
}

export async function scrape(port: number): Promise<Scrape> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`)
  return new Scrape(await response.text())
}

function has({ labels }: Sample, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([label, value]) => labels[label] === value)
}

function sampleOf(line: string): Sample {
  const [, name = '', written = '', value = ''] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  if (name === '') throw new Error(`Not a sample: ${line}`)
  const labels = [...written.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text])
  return {
    name,
    labels: Object.fromEntries(labels) as Record<string, string>,
    value: value === 'Nan' ? NaN : Number(value),
  }
}
