import { execFileSync } from 'node:child_process';

export interface ReadMail {
  /** Header fields in order, decoded and unfolded. */
  headers: [name: string, value: string][];
  /** Addresses of From, To and Reply-To as [display name, address]. */
  addresses: Record<string, [name: string, address: string][]>;
  /** The parts below the root: content type and decoded text. */
  parts: [type: string, text: string][];
  defects: string[];
}

const READER = `
import sys, json, base64, email, email.header, email.utils
def text(value):
    return str(email.header.make_header(email.header.decode_header(value)))
def unfolded(value):
    return value.replace('\\r', '').replace('\\n', '')
out = []
for raw in json.load(sys.stdin):
    m = email.message_from_bytes(base64.b64decode(raw))
    named = {k: email.utils.getaddresses([unfolded(m[k])]) for k in ('From', 'To', 'Reply-To') if m[k]}
    out.append({
        'headers': [[k, text(unfolded(v))] for k, v in m.items()],
        'addresses': {k: [[text(name), address] for name, address in found] for k, found in named.items()},
        'parts': [[p.get_content_type(), p.get_payload(decode=True).decode('utf-8')] for p in m.walk() if not p.is_multipart()],
        'defects': [str(d) for p in m.walk() for d in p.defects],
    })
json.dump(out, sys.stdout)
`;

/** Reads messages with Python's email package, a parser that has nothing to do with what wrote them. */
export function readMails(messages: Buffer[]): ReadMail[] {
  const input = JSON.stringify(messages.map((message) => message.toString('base64')));
  return JSON.parse(
    execFileSync('python3', ['-c', READER], { input, maxBuffer: 1 << 28, encoding: 'utf8' }),
  ) as ReadMail[];
}

export function readMail(message: Buffer): ReadMail {
  const [mail] = readMails([message]);
  if (!mail) throw new Error('the reader answered nothing');
  return mail;
}

export function header(mail: ReadMail, name: string): string | undefined {
  return mail.headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1];
}
