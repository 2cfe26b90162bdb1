import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ends } from './ends.ts'
import { temporaryFolder } from './command.ts'

/** Files in PEM form, deleted after the test. */
export interface Certificates {
  /** The certificate of the tests' own authority, which is not trusted by default. */
  ca: string
  /** The certificate of a server at 127.0.0.1, signed by that authority. */
  cert: string
  key: string
}

/** Creates new certificates, valid for two days. */
export async function makeCertificates(t: Ends): Promise<Certificates> {
  const folder = await temporaryFolder(t)
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    file(name),
  ]
  openssl('req', '-x509', '-days', '2', '-subj', '/CN=A CA of our own', ...newKey('ca.key'), '-out', file('ca.crt'))
  openssl('req', '-subj', '/CN=127.0.0.1', ...newKey('server.key'), '-out', file('server.csr'))
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1')
  const signed = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('names')]
  openssl('x509', '-req', '-in', file('server.csr'), '-days', '2', ...signed, '-out', file('server.crt'))
  return { ca: file('ca.crt'), cert: file('server.crt'), key: file('server.key') }
}
