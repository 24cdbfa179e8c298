/** Addresses that are not public, by what they are. A name may lead to each of them. */
export const REFUSED_ADDRESSES = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'link-local, with the metadata services of clouds': ['169.254.169.254', 'fe80::1', 'fd00:ec2::254'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.1.2.3', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  'reserved and documentation': ['240.0.0.1', '192.0.0.8', '192.0.2.1', '198.18.0.1', '203.0.113.9', '2001:db8::1'],
  'IPv4-mapped and IPv4-compatible': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:10.0.0.1'],
  'NAT64, 6to4, Teredo': ['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1'],
  'site-local, discard, not assigned': ['fec0::1', '100::1', '4000::1', 'e000::1', '5f00::1', '3fff::1'],
};

const HOSTS = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '127.0.0.1.', '１２７.0.0.1', '0'],
  ...['10.0.0.1:8443', '169.254.169.254', '100.64.0.1', '[::1]', '[::]', '[fd00:ec2::254]', '[fe80::1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::10.0.0.1]'],
];

/** URLs that may not be saved, by the code of the violation, if OUTBOUND_ALLOW does not have 127.0.0.1. */
export const REFUSED_URLS = {
  outbound_refused: [
    ...HOSTS.map((host) => `https://${host}/hook`),
    'http://8.8.8.8/',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'gopher://hooks.example.com/',
    'https://user@hooks.example.com/',
    'https://user:password@hooks.example.com/',
    'https://:password@hooks.example.com/',
  ],
  format: ['hooks.example.com', '/hook', 'https://', 'https://a b/', ' https://a/', 'https://a/\n', 'https:\\\\a'],
} as const;
