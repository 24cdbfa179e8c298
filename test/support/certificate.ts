import { sign, type KeyPairKeyObjectResult } from 'node:crypto';

/** DER (ITU-T X.690): tag, length and contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const bytes = body.length.toString(16);
  const length =
    body.length < 128
      ? Buffer.of(body.length)
      : Buffer.from(bytes.padStart(bytes.length + (bytes.length % 2), '0'), 'hex');
  return Buffer.concat([
    Buffer.of(tag),
    ...(body.length < 128 ? [length] : [Buffer.of(0x80 | length.length), length]),
    body,
  ]);
}

const sequence = (...contents: Buffer[]): Buffer => der(0x30, ...contents);
/** sha256WithRSAEncryption. */
const RSA_SHA256 = sequence(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05));

/** A self-signed certificate (RFC 5280) of an RSA key with this host as its commonName, as PEM. */
export function makeCertificate({ publicKey, privateKey }: KeyPairKeyObjectResult, host: string): string {
  const commonName = sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(host)));
  const name = sequence(der(0x31, commonName));
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const about = sequence(
    der(0x02, Buffer.of(1)),
    RSA_SHA256,
    name,
    validity,
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const whole = sequence(about, RSA_SHA256, der(0x03, Buffer.of(0), sign('sha256', about, privateKey)));
  return `-----BEGIN CERTIFICATE-----\n${whole
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')}\n-----END CERTIFICATE-----\n`;
}
