/** One instruction of a Dockerfile: `COPY --from=build /app/dist ./dist`. */
export interface Instruction {
  name: string
  /** Flags such as `from`, without their dashes. */
  flags: Record<string, string>
  rest: string
}

/** One stage: `FROM … AS name` and its instructions. */
export interface Stage {
  name: string
  image: string
  instructions: Instruction[]
}

/** Returns the stages of a Dockerfile, in order. Comments are dropped, and continued lines are joined. */
export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = []
  for (const line of text
    .replace(/^#.*$/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')) {
    const instruction = instructionOf(line.trim())
    if (!instruction) continue
    if (instruction.name === 'FROM') stages.push(stageOf(instruction))
    else stages.at(-1)?.instructions.push(instruction)
  }
  return stages
}

/** Returns the sources of a COPY, and its destination. */
export function copyOf({ rest }: Instruction): { from: string[]; to: string } {
  const paths = rest.split(/\s+/)
  return { from: paths.slice(0, -1), to: paths.at(-1) ?? '.' }
}

function instructionOf(line: string): Instruction | undefined {
  const [, name, flags = '', rest = ''] = /^([A-Z]+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? []
  if (!name) return undefined
  const pairs = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag, value]) => [flag, value])
  return { name, flags: Object.fromEntries(pairs) as Record<string, string>, rest }
}

function stageOf({ rest }: Instruction): Stage {
  const [image = '', , name = ''] = rest.split(/\s+/)
  return { image, name, instructions: [] }
}
