import { once } from 'node:events';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

export interface SunkMail {
  from: string;
  to: string[];
  raw: string;
  parsed: ParsedMail;
}

/** The provider's replies per recipient, at RCPT or after the final dot; null accepts. */
export type Answers = (stage: 'RCPT' | 'DATA', address: string) => { code: number; message: string } | null;

export interface MailSink {
  url: string;
  mails: SunkMail[];
  /** Replaces the replies; the default accepts everything. */
  answer: (answers: Answers) => void;
  stop: () => Promise<void>;
}

function refusal(answer: { code: number; message: string }): Error {
  return Object.assign(new Error(answer.message), { responseCode: answer.code });
}

/** A real SMTP server on a free port that stores what it accepts. */
export async function startMailSink(): Promise<MailSink> {
  const mails: SunkMail[] = [];
  let answers: Answers = () => null;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(address, _session, callback) {
      const answer = answers('RCPT', address.address);
      callback(answer ? refusal(answer) : undefined);
    },
    onData(stream, session: SMTPServerSession, callback) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map((recipient) => recipient.address);
        const answer = answers('DATA', to[0] ?? '');
        if (answer) {
          callback(refusal(answer));
          return;
        }
        const raw = Buffer.concat(parts);
        simpleParser(raw).then((parsed) => {
          mails.push({
            from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
            to,
            raw: raw.toString('latin1'),
            parsed,
          });
          callback();
        }, callback);
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    answer: (given) => {
      answers = given;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
