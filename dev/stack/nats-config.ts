export interface NatsLogin {
  account: string;
  user: string;
  password: string;
}

/** The service's account, and one for listeners: programs that can read the events and cannot harm the service. */
export interface NatsAccounts {
  service: NatsLogin;
  listener: NatsLogin;
  /** Whether listeners may publish `email.send.requests`, which only a service with a single tenant accepts. */
  listenersSend: boolean;
}

export interface NatsConfig {
  port: number;
  /** Where the server writes which port it has taken for its health, on loopback; none: it serves no health. */
  portsDir?: string;
  storeDir: string;
  accounts: NatsAccounts[];
}

/** What a listener may publish. Its account has one stream, the copy of EVENTS, and only its own consumers. */
const LISTENER_MAY_PUBLISH = [
  '$JS.API.INFO',
  '$JS.API.STREAM.NAMES',
  '$JS.API.STREAM.INFO.EVENTS',
  // CREATE, INFO, LIST, NAMES, PAUSE and DELETE of consumers, and CREATE as sent by older clients.
  '$JS.API.CONSUMER.*.EVENTS',
  '$JS.API.CONSUMER.*.EVENTS.>',
  '$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.*',
  '$JS.API.CONSUMER.MSG.NEXT.EVENTS.*',
  '$JS.ACK.EVENTS.>',
];

/**
 * The text of nats-server's configuration. Permissions alone do not confine a listener: a client that may send
 * JetStream requests may name any subject of its account as the reply subject, including JetStream's own, and could
 * thereby purge or delete every stream. Separate accounts prevent this (`docs/decisions/0032-listeners.md`);
 * `docs/operating.md` has the same for an external NATS.
 */
export function natsConfig({ port, portsDir, storeDir, accounts }: NatsConfig): string {
  return [
    'host: 127.0.0.1',
    `port: ${port}`,
    ...(portsDir === undefined ? [] : ['http: "127.0.0.1:-1"', `ports_file_dir: ${quoted(portsDir)}`]),
    'server_name: perennial',
    'max_payload: 8MB',
    'max_pending: 64MB',
    // An acknowledged message survives a crash of the server at once, and a power failure after this interval.
    // By default it is three quarters of the disk that is free at the start, so a restart with less would refuse the
    // streams that are there.
    `jetstream { store_dir: ${quoted(storeDir)}, max_file_store: 1TB, sync_interval: "1s" }`,
    `accounts {\n${accounts.map(accountPair).join('')}}`,
    '',
  ].join('\n');
}

function accountPair({ service, listener, listenersSend }: NatsAccounts): string {
  const copy = `copy-${listener.account}`;
  const delivered = `copies.${listener.account}`;
  const to = `accounts: [${listener.account}]`;
  const from = `account: ${service.account}`;
  const requests = listenersSend ? ['email.send.requests'] : [];
  // In our account they arrive with the listener's name in the subject, and in a separate stream.
  const arriving = `email.send.requests.${listener.account}`;
  return `  ${service.account} {
    jetstream: enabled
    users: [{ ${login(service)} }]
    exports: [
      { service: "$JS.API.CONSUMER.RESET.EVENTS.${copy}", ${to} }
      { service: "$JS.FC.EVENTS.${copy}.*", ${to} }
      { stream: "${delivered}", ${to} }
${requests.map(() => `      { service: "${arriving}", ${to} }\n`).join('')}    ]
    imports: [{ service: { account: ${listener.account}, subject: "$JS.API.>" }, to: "$JS.${listener.account}.API.>" }]
  }
  ${listener.account} {
    jetstream: { max_streams: 1, max_consumers: 100 }
    users: [{ ${login(listener)}, permissions: {
      publish: [${[...LISTENER_MAY_PUBLISH, ...requests].map(quoted).join(', ')}]
      subscribe: ["_INBOX.>"]
    } }]
    exports: [{ service: "$JS.API.>", response_type: stream, accounts: [${service.account}] }]
    imports: [
      { service: { ${from}, subject: "$JS.API.CONSUMER.RESET.EVENTS.${copy}" }, to: "$JS.PERENNIAL.API.CONSUMER.RESET.EVENTS.${copy}" }
      { service: { ${from}, subject: "$JS.FC.EVENTS.${copy}.*" } }
      { stream: { ${from}, subject: "${delivered}" } }
${requests.map((subject) => `      { service: { ${from}, subject: "${arriving}" }, to: "${subject}" }\n`).join('')}    ]
  }
`;
}

const quoted = (text: string): string => JSON.stringify(text);
const login = ({ user, password }: NatsLogin): string => `user: ${quoted(user)}, password: ${quoted(password)}`;
