import { expect, test } from 'vitest'
import { literalAddress, reachOf } from '../../../src/base/http/address-reach.ts'

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '192.169.0.1',
  '223.255.255.1',
])('%s is public', (address) => expect(reachOf(address)).toBe('public'))

test.each(['2606:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => expect(reachOf(address)).toBe('public'),
)

test.each([
  '10.0.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
])('%s is private', (address) => expect(reachOf(address)).toBe('private'))

test.each(['::1', 'fc00::1', 'fd12:3456::1', '::ffff:10.0.0.1', '::ffff:7f00:1'])('%s is private', (address) =>
  expect(reachOf(address)).toBe('private'),
)

test.each([
  ['SIIT', '::ffff:0:10.0.0.1', 'private'],
  ['SIIT', '::ffff:0:7f00:1', 'private'],
  ['SIIT', '::FFFF:0:0:1', 'never'],
  ['SIIT', '0:0:0:0:ffff:0:192.168.1.1', 'private'],
  ['SIIT', '::ffff:0:169.254.169.254', 'never'],
  ['SIIT', '::ffff:0:8.8.8.8', 'public'],
  ['ISATAP', '2606:4700::5efe:10.0.0.1', 'private'],
  ['ISATAP', '2606:4700::5efe:7f00:1', 'private'],
  ['ISATAP', '2606:4700::200:5efe:192.168.0.1', 'private'],
  ['ISATAP', '2606:4700:1:2:0300:5EFE:c0a8:1%eth0', 'private'],
  ['ISATAP', '2606:4700::5efe:169.254.169.254', 'never'],
  ['ISATAP', '2606:4700::5efe:8.8.8.8', 'public'],
  ['ISATAP on a private network', 'fd12::5efe:8.8.8.8', 'private'],
  ['ISATAP on a link', 'fe80::5efe:8.8.8.8', 'never'],
  ['something alike', '2606:4700::1:5efe:10.0.0.1', 'public'],
  ['something alike', '2606:4700::5eff:10.0.0.1', 'public'],
])('%s: %s is %s', (_, address, reach) => expect(reachOf(address)).toBe(reach))

test.each([
  ['the metadata service', '169.254.169.254'],
  ['the metadata service, mapped', '::ffff:169.254.169.254'],
  ['the metadata service of AWS over IPv6', 'fd00:ec2::254'],
  ['the metadata service of Alibaba, inside carrier NAT', '100.100.100.200'],
  ['link-local', '169.254.1.1'],
  ['link-local with its interface', 'fe80::1%eth0'],
  ['unspecified', '0.0.0.0'],
  ['unspecified', '::'],
  ['multicast', '224.0.0.251'],
  ['multicast', 'ff02::fb'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '203.0.113.7'],
  ['NAT64, which hides an IPv4 address', '64:ff9b::7f00:1'],
  ['6to4, which hides one too', '2002:7f00:1::'],
  ['IPv4-compatible', '::7f00:1'],
  ['site-local', 'fec0::1'],
  ['no address', 'localhost'],
  ['nothing', ''],
])('%s is never reached: %s', (_, address) => expect(reachOf(address)).toBe('never'))

test.each([
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f000001/', '127.0.0.1'],
  ['http://0177.1/', '127.0.0.1'],
  ['http://①②⑦.0.0.1/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://[::FFFF:127.0.0.1]/', '::ffff:7f00:1'],
  ['http://example.com/', undefined],
  ['http://127.0.0.1.example.com/', undefined],
])('the host of %s is the address %s', (url, address) => expect(literalAddress(new URL(url).hostname)).toBe(address))
