import { describe, expect, test } from 'vitest';
import { type AddressKind, admitter, classifyAddress } from '../../src/node/http/admission.js';

const TABLE: Record<AddressKind, string[]> = {
  public: [
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.216.34', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '168.63.129.15', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
    ...['172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
    ...['223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:200::1', '3fff:1000::1'],
    ...['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '2002:808:808::1', '2600::5efe:808:808'],
    '2606:4700:4700:0:0:0:0:1111',
  ],
  unspecified: ['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::0.0.0.0', '::ffff:0.0.0.0', '64:ff9b::'],
  loopback: [
    ...['127.0.0.1', '127.0.0.0', '127.255.255.255', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1', '::0001'],
    ...['::ffff:127.0.0.1', '::FFFF:7F00:1', '0:0:0:0:0:ffff:7f00:1', '64:ff9b::127.0.0.1', '2002:7f00:1::'],
    '2600::5efe:7f00:1',
  ],
  private: [
    ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    ...[
      'fc00::',
      'fd12:3456:789a::1',
      'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      'fec0::1',
      '::ffff:10.0.0.1',
    ],
    ...[
      '::ffff:c0a8:101',
      '64:ff9b::a00:1',
      '64:ff9b:1::8.8.8.8',
      '2002:c0a8:101::1',
      '2600::200:5efe:10.1.1.1',
    ],
  ],
  'link-local': [
    '169.254.0.1',
    '169.254.255.255',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    '::ffff:169.254.1.1',
  ],
  metadata: [
    ...['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'],
    ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::'],
  ],
  shared: ['100.64.0.0', '100.127.255.255', '::ffff:100.64.0.1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: [
    ...['0.0.0.1', '0.255.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255'],
    ...[
      '198.51.100.1',
      '203.0.113.1',
      '240.0.0.1',
      '255.255.255.255',
      '::2',
      '::127.0.0.1',
      '::ffff:0:127.0.0.1',
    ],
    ...['100::1', '2001::1', '2001:0:7f00:1::', '2001:10::1', '2001:db8::1', '3fff::1', '4000::1', '5f00::1'],
    '64:ff9b:2::1',
  ],
  invalid: [
    ...[
      '',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '127.0.0.01',
      '256.0.0.1',
      '1.2.3.4.5',
    ],
    ...[
      '1.2.3',
      ' 1.1.1.1',
      '1.1.1.1 ',
      ':::',
      ':',
      '1::2::3',
      '12345::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
    ],
    ...['1:2:3:4:5:6:7::8', '::1.2.3', '1.2.3.4::', 'g::', '[::1]', '::ffff:1.2.3.4:5', '-1.0.0.0'],
  ],
};

describe('classifyAddress', () => {
  const rows = Object.entries(TABLE).flatMap(([kind, addresses]) =>
    addresses.map((address) => [address, kind]),
  );

  test('has a table worth the name', () => expect(rows.length).toBeGreaterThan(100));

  test.each(rows)('%s is %s', (address, kind) => {
    expect(classifyAddress(address!)).toBe(kind);
  });
});

describe('admitter', () => {
  const admit = admitter({ allowPrivate: false });
  const never = new AbortController().signal;

  test.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://①②⑦.⓪.⓪.①/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://[::1]:8080/', '::1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[::127.0.0.1]/', '::7f00:1'],
    ['http://2852039166/latest/meta-data/', '169.254.169.254'],
    ['http://[fd00:ec2::254]/', 'fd00:ec2::254'],
  ])('%s is seen for what it is', async (url, address) => {
    expect(await admit(new URL(url), never)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining(`leads to ${address},`),
    });
  });

  test('a name is looked up', async () => {
    expect(await admit(new URL('http://localhost/'), never)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('loopback'),
    });
    const allowing = admitter({ allowPrivate: true });
    expect(await allowing(new URL('http://localhost/'), never)).toMatchObject({ status: 'admitted' });
  });

  test('a public address is let through as it is', async () => {
    expect(await admit(new URL('https://[2606:4700::1111]/'), never)).toEqual({
      status: 'admitted',
      addresses: [{ address: '2606:4700::1111', family: 6 }],
    });
  });

  test('a name without address is a failure, not a refusal', async () => {
    expect(await admit(new URL('http://no-such-name.invalid/'), never)).toMatchObject({ status: 'failed' });
  });
});
